"""Official data is fetched, verified and put in place in one step, or nothing has changed."""

from __future__ import annotations

import hashlib
import io
import json
import socket
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from domains import DataError, list_domains, load_domain
from domains.catalog import installed_packs
from domains.installing import archive, fetch, install, known
from domains.installing.fetch import FetchFailed
from domains.installing.installer import downloads_folder
from domains.packs import packs_folder, remove_pack
from tests.domains.serving import Served, serving
from tests.sessions.small_world import DB, USER_DB

TASKS = [{"id": "0", "user_scenario": {"instructions": "sweep"}}]
MOCK = {
    "domains/mock/db.json": json.dumps(DB).encode(),
    "domains/mock/user_db.json": json.dumps(USER_DB).encode(),
    "domains/mock/policy.md": b"# Be kind",
    "domains/mock/policy_solo.md": b"# Be kind, alone",
    "domains/mock/tasks.json": json.dumps(TASKS).encode(),
    "user_simulator/simulation_guidelines.md": b"Be a customer.",
}
OLDER = MOCK | {"domains/mock/tasks.json": b"[]"}
TOP = "tau2-bench-1.0.1"
BESIDE = {f"{TOP}/LICENSE": b"MIT", f"{TOP}/src/tau2/cli.py": b"raise SystemExit('run')", f"{TOP}/data/tau2/big": b"x"}


@pytest.fixture(autouse=True)
def _table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The known data is a mock of two generations."""

    def row(title: str, pack: str, files: dict[str, bytes], remark: str = "") -> dict[str, object]:
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        return {"title": title, "pack": pack, "files": digests, "remark": remark}

    table = {
        "generations": {
            "v1.0.1": row("tau2 v1.0.1", "official", MOCK),
            "0.2": row("tau2 0.2", "tau2-0.2", OLDER, "its tasks differ"),
        },
        "databases": {},
    }
    monkeypatch.setattr(known, "_table", lambda: table)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    known.generations.cache_clear()
    yield
    known.generations.cache_clear()


def members(files: dict[str, bytes] = MOCK) -> dict[str, bytes]:
    """The members of a release archive: the data, and what lies beside it."""
    return BESIDE | {f"{TOP}/data/tau2/{name}": content for name, content in files.items()}


def tar(found: dict[str, bytes], *more: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    """An archive of these members; `more` have no content."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as made:  # type: ignore[call-overload]  # any mode
        for name, content in found.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))
        for info in more:
            made.addfile(info)
    return out.getvalue()


def zipped(found: dict[str, bytes]) -> bytes:
    """A zip of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in found.items():
            made.writestr(name, content)
    return out.getvalue()


@pytest.fixture
def given(tmp_path: Path) -> Path:
    """Where a test writes the archive it gives."""
    return tmp_path / "given.archive"


def nothing_was_installed() -> bool:
    """No pack, no beginning of one, no rest of a download."""
    return not list(packs_folder().glob("*")) and not list(downloads_folder().glob("*"))


# What is kept


def test_a_release_is_fetched_and_found_by_its_name() -> None:
    with serving(Served(tar(members()))) as served:
        done = install(served.url)
    assert (done.pack.name, done.pack.title, done.verified, done.pack.unknown) == ("official", "tau2 v1.0.1", 6, ())
    assert list_domains(Path("official")) == ["mock"]
    domain = load_domain("mock", Path("official"))
    assert domain.origin == "official"
    assert [task.reason for task in domain.tasks] == ["sweep"]
    assert [pack.name for pack in installed_packs()] == ["official"]
    assert not list(downloads_folder().glob("*"))


def test_only_data_is_kept_and_the_license_with_it(given: Path) -> None:
    given.write_bytes(tar(members()))
    folder = install(str(given)).pack.folder
    kept = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert kept == {"LICENSE", "pack.json"} | {f"tau2/{name}" for name in MOCK}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_every_usual_archive_is_read(given: Path, mode: str) -> None:
    given.write_bytes(tar(members(), mode=mode))
    assert install(str(given)).verified == 6


@pytest.mark.parametrize("top", ["./tau2", "tau2", "./data/tau2", "data/tau2"])
def test_an_archive_of_a_data_folder_is_read_as_the_folder_is(given: Path, top: str) -> None:
    given.write_bytes(tar({f"{top}/{name}": content for name, content in MOCK.items()}))
    assert install(str(given)).verified == 6


def test_a_file_of_whole_blocks_is_followed_by_the_next_one(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given.write_bytes(tar({"a/b": bytes(1024), "a/c": bytes(512)} | members()))
    assert install(str(given)).verified == 6


def test_a_folder_and_a_wheel_are_named_as_what_they_are(tmp_path: Path, given: Path) -> None:
    for name, content in MOCK.items():
        (tmp_path / "data" / "tau2" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / "tau2" / name).write_bytes(content)
    assert install(str(tmp_path)).pack.name == "official"
    given.write_bytes(zipped({f"tau2/data/tau2/{name}": content for name, content in OLDER.items()}))
    done = install(str(given))
    assert (done.pack.name, done.pack.title, done.remark) == ("tau2-0.2", "tau2 0.2", "its tasks differ")
    assert [pack.name for pack in installed_packs()] == ["official", "tau2-0.2"]


def test_guidelines_may_be_missing_and_domains_may_not(given: Path) -> None:
    guidelines = "user_simulator/simulation_guidelines.md"
    given.write_bytes(tar(members({name: content for name, content in MOCK.items() if name != guidelines})))
    assert install(str(given)).remark == f"without {guidelines}"
    given.write_bytes(tar(members({name: MOCK[name] for name in MOCK if "policy.md" not in name})))
    with pytest.raises(DataError, match=r"domains/mock/policy\.md is missing; nothing was installed"):
        install(str(given))


def test_what_is_whole_is_not_fetched_again_and_what_was_changed_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Served(tar(members()))) as served:
        monkeypatch.setattr("domains.installing.installer.HOME", served.url)
        assert not install().known
        assert install().known
        assert len(served.asked) == 1
        policy = packs_folder() / "official" / "tau2" / "domains" / "mock" / "policy.md"
        policy.write_text("# Be rude")
        assert installed_packs()[0].damage() == [f"{policy}: was changed since it was installed"]
        assert not install().known
        assert policy.read_bytes() == MOCK["domains/mock/policy.md"]


def test_a_pack_is_removed_by_name() -> None:
    with serving(Served(tar(members()))) as served:
        install(served.url)
    with pytest.raises(DataError, match="no pack 'offical' is installed; there is official"):
        remove_pack("offical")
    remove_pack("official")
    assert installed_packs() == []
    with pytest.raises(DataError, match="`tau-tui data install` fetches the official one"):
        load_domain("mock", Path("official"))


# τ²-Bench Verified


def test_corrected_tasks_are_a_pack_of_their_own_and_what_nobody_vouches_for_is_said(given: Path) -> None:
    corrected = MOCK | {"domains/mock/tasks.json": json.dumps([{**TASKS[0], "id": "better"}]).encode()}
    given.write_bytes(tar(members(corrected)))
    with pytest.raises(DataError, match=r"not the data of tau2 v1\.0\.1: domains/mock/tasks\.json differs \(sha256"):
        install(str(given))
    done = install(str(given), verified=True)
    assert (done.pack.name, done.verified, done.pack.unknown) == ("verified", 5, ("domains/mock/tasks.json",))
    assert load_domain("mock", Path("verified")).tasks[0].id == "better"


def test_corrected_tasks_that_cannot_be_read_are_not_put_in_place(given: Path) -> None:
    given.write_bytes(tar(members(MOCK | {"domains/mock/tasks.json": b'[{"id": 1}]'})))
    with pytest.raises(DataError, match=r"tasks\.json: task 1: id"):
        install(str(given), verified=True)
    assert nothing_was_installed()


def test_official_data_is_not_taken_for_the_corrected_tasks(given: Path) -> None:
    given.write_bytes(tar(members()))
    with pytest.raises(DataError, match="its tasks are the official ones"):
        install(str(given), verified=True)
    with pytest.raises(DataError, match=r"get an archive of .*tau2-bench-verified and name it with --from"):
        install(verified=True)


# Downloads that go wrong


def test_a_download_that_is_cut_off_goes_on_where_it_was() -> None:
    content = tar(members())
    with serving(Served(content, cuts=[100, 50])) as served:
        assert install(served.url).verified == 6
    assert served.asked == ["", "bytes=100-", "bytes=150-"]


def test_a_download_that_brings_nothing_more_is_finished_by_the_next_run() -> None:
    content = tar(members())
    with serving(Served(content, cuts=[100, 0])) as served:
        with pytest.raises(FetchFailed, match="Errno 0") as failed:
            install(served.url)
        assert failed.value.strerror == "cut off after 100 bytes; run it again to go on from there"
        assert installed_packs() == []
        assert install(served.url).verified == 6
    assert served.asked[-1] == "bytes=100-"


def test_a_file_that_has_changed_in_between_is_fetched_anew() -> None:
    with serving(Served(tar(members(OLDER)), cuts=[100, 0])) as served:
        with pytest.raises(FetchFailed):
            install(served.url)
        served.content, served.etag = tar(members()), '"two"'
        assert install(served.url).pack.name == "official"
    assert served.asked[-2:] == ["bytes=100-", ""]


def test_a_server_that_knows_no_ranges_begins_again() -> None:
    with serving(Served(tar(members()), cuts=[100], ranges=False)) as served:
        assert install(served.url).verified == 6


def test_a_file_that_has_become_shorter_is_fetched_anew() -> None:
    content = tar(members())
    with serving(Served(content + bytes(10_000), cuts=[len(content) + 5000, 0])) as served:
        with pytest.raises(FetchFailed):
            install(served.url)
        served.content = content
        assert install(served.url).verified == 6


def test_an_address_that_is_not_there_is_one_line() -> None:
    with serving(Served(b"", status=404)) as served, pytest.raises(FetchFailed) as failed:
        install(served.url)
    assert failed.value.filename == served.url
    assert failed.value.strerror == "the server answers 404 Not Found"
    assert nothing_was_installed()


def test_being_offline_is_one_line_that_says_what_to_do() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/a.tar.gz"
        with pytest.raises(FetchFailed) as failed:
            install(url)
    assert (
        failed.value.strerror
        == "cannot be reached (Connection refused); if you are offline, give a file you have with --from"
    )


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data://x"])
def test_only_the_web_is_fetched_from(url: str) -> None:
    with pytest.raises(FetchFailed, match="is no address of a download"):
        install(url)


@pytest.mark.parametrize(
    ("there", "said"), [("file:///etc/passwd", "is not allowed"), ("ftp://127.0.0.1/x", "leads to ftp:")]
)
def test_a_redirection_away_from_the_web_is_not_followed(there: str, said: str) -> None:
    with serving(Served(b"", location=there)) as served, pytest.raises(FetchFailed) as failed:
        install(served.url)
    assert said in (failed.value.strerror or "")


def test_a_wrong_digest_leaves_the_pack_that_is_there() -> None:
    with serving(Served(tar(members()))) as served:
        install(served.url)
        served.content = tar(members(MOCK | {"domains/mock/db.json": b"{}"}))
        with pytest.raises(DataError, match=r"^http://.*domains/mock/db\.json differs .* nothing was installed"):
            install(served.url)
    assert installed_packs()[0].damage() == []
    assert [path.name for path in packs_folder().iterdir()] == ["official"]


def test_a_pack_that_cannot_be_put_in_place_leaves_the_one_that_is_there(
    given: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given.write_bytes(tar(members()))
    install(str(given))
    real = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name.startswith(".new-"):
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="No space left"):
        install(str(given))
    assert installed_packs()[0].damage() == []
    assert [path.name for path in packs_folder().iterdir()] == ["official"]


def test_a_file_that_grows_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MOST", 1000)
    with serving(Served(bytes(2000))) as served, pytest.raises(FetchFailed, match="far less"):
        install(served.url)


# Hostile archives


@pytest.mark.parametrize("name", ["../evil.json", "/etc/evil", f"{TOP}/../../evil", "..\\evil", "C:\\evil", "C:/evil"])
@pytest.mark.parametrize("make", [tar, zipped])
def test_a_name_that_leads_out_of_the_archive_is_refused(given: Path, name: str, make: object) -> None:
    assert callable(make)
    given.write_bytes(make({name: b"evil"} | members()))
    with pytest.raises(DataError, match="leads out of the archive"):
        install(str(given))
    assert nothing_was_installed()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
def test_a_link_or_a_device_in_the_place_of_a_file_is_refused(given: Path, kind: bytes) -> None:
    info = tarfile.TarInfo(f"{TOP}/data/tau2/domains/mock/db.json")
    info.type, info.linkname = kind, "/etc/passwd"
    given.write_bytes(tar({}, info))
    with pytest.raises(DataError, match="is not a plain file"):
        install(str(given))


def test_links_elsewhere_are_left_alone(given: Path) -> None:
    info = tarfile.TarInfo(f"{TOP}/CLAUDE.md")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    given.write_bytes(tar(members(), info))
    assert install(str(given)).verified == 6


def test_a_link_in_a_zip_and_one_in_a_folder_are_refused(tmp_path: Path, given: Path) -> None:
    with zipfile.ZipFile(given, "w") as made:
        info = zipfile.ZipInfo(f"{TOP}/data/tau2/domains/mock/db.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(info, "/etc/passwd")
    with pytest.raises(DataError, match="is a link"):
        install(str(given))
    folder = tmp_path / "folder" / "domains" / "mock"
    folder.mkdir(parents=True)
    (tmp_path / "secret").write_text("{}")
    (folder / "db.json").symlink_to(tmp_path / "secret")
    with pytest.raises(DataError, match="a link that leads out of the folder"):
        install(str(tmp_path / "folder"))


def test_a_bomb_is_given_up_before_it_goes_off(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_FILE", 10_000)
    big = MOCK | {"domains/mock/db.json": bytes(1_000_000)}
    for content in (tar(members(big)), zipped(members(big))):
        given.write_bytes(content)
        with pytest.raises(DataError, match=r"refused: .*db\.json unpacks to more than"):
            install(str(given))
    monkeypatch.setattr(archive, "MOST_UNPACKED", 100_000)
    given.write_bytes(tar({"a": bytes(1_000_000)} | members()))
    with pytest.raises(DataError, match="refused: unpacks to more than"):
        install(str(given))


def test_a_header_that_asks_for_all_memory_is_refused(given: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 7 << 30
    given.write_bytes(info.tobuf(tarfile.USTAR_FORMAT) + bytes(10_240))
    with pytest.raises(DataError, match="asks for more than 64 MB"):
        install(str(given))


def test_too_many_members_and_a_name_twice_are_refused(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = tarfile.TarInfo(f"{TOP}/data/tau2/domains/mock/db.json")
    given.write_bytes(tar(members(), twice))
    with pytest.raises(DataError, match=r"holds domains/mock/db\.json twice"):
        install(str(given))
    monkeypatch.setattr(archive, "MOST_MEMBERS", 5)
    for content in (tar(members()), zipped(members())):
        given.write_bytes(content)
        with pytest.raises(DataError, match="more than 5 members"):
            install(str(given))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "damaged, or not an archive"),
        (b"<html>not found</html>" * 100, "damaged, or not an archive"),
        (tar(members())[:-200], "damaged, or not an archive"),
        (zipped(members())[:-200], "damaged, or not an archive"),
        (tar(BESIDE), "holds no data of tau2"),
    ],
    ids=["empty", "a page", "half a tar", "half a zip", "other things"],  # the bytes hold the time they were made
)
def test_a_file_that_is_no_archive_or_a_broken_one_is_one_line(given: Path, content: bytes, said: str) -> None:
    given.write_bytes(content)
    with pytest.raises(DataError, match=said):
        install(str(given))
    assert nothing_was_installed()


def test_a_file_that_is_not_there_is_one_line() -> None:
    with pytest.raises(DataError, match="there is no such file or folder"):
        install("nowhere.tar.gz")


# The real thing


@pytest.mark.official
def test_the_known_digests_are_those_of_the_official_data(official: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    known.generations.cache_clear()
    taken = archive.read_source(official)
    assert known.identify(known.digests_of(taken)).title == "tau2 v1.0.1"
    for name in ("airline", "retail", "telecom", "mock"):
        digests = {str(seat): base.digest() for seat, base in load_domain(name, official).bases.items()}
        assert known.is_official_database(name, digests)
        assert not known.is_official_database(name, digests | {"agent": ""})
