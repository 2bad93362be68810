"""Who takes which seat in the middle of a session: a person, whoever sat there before, or somebody else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from domains.toolkit import Seat
from sessions.event import Seated
from sessions.players.spec import UnknownPlayer, parse_spec
from sessions.seating import DEFAULT_PARTNERS, model_of, partner_of, seat_player

if TYPE_CHECKING:
    from sessions.event import Header, PlayerInfo
    from sessions.players.base import Player
    from sessions.session import Session

WHO: Final = (
    "A model as provider/model, with @ and an address where it has one of its own: small @ http://127.0.0.1:8000/v1."
    ' Or as on the command line: oracle, script, llm:react, module:Class, cmd:"…".'
)


class Seats:
    """Changes the players of a session for its screen, and knows who can be given a seat back."""

    def __init__(self, session: Session, person: str) -> None:
        self._session = session
        self._person = person
        self._left: dict[Seat, Player] = {}
        self.lent: Seat | None = None
        """A seat the person has for one message; then it goes back."""

    def before(self, seat: Seat) -> PlayerInfo | None:
        """Return who sat in a seat before a person did, None where nobody did."""
        events = self._session.events
        infos = [self._session.header.players.get(seat)]
        infos += [event.player for event in events if isinstance(event, Seated) and event.seat == seat]
        return next((info for info in reversed(infos) if info is not None and info.kind != "human"), None)

    def answers(self) -> list[tuple[str, str]]:
        """Return what can be done now, as answers to a question."""
        found = []
        for seat, player in self._session.players.items():
            if seat in self._session.people:
                if (info := self.before(seat)) is not None:
                    found.append((f"back {seat}", f"hand the {seat}'s seat back to {info.name}"))
                found.append((f"other {seat}", f"let somebody else be the {seat} …"))
            else:
                found.append((f"take {seat}", f"take the {seat}'s seat yourself (now {player.info.name})"))
                found.append((f"other {seat}", f"let somebody else be the {seat}, in place of {player.info.name} …"))
        return found

    async def take(self, seat: Seat) -> None:
        """Let the person sit there. Raises NotAllowed and RecordingFailed."""
        from sessions.players.human import HumanPlayer

        session = self._session
        if seat in session.people:
            return
        self._left[seat] = session.players[seat]
        view = session.header.view
        if view != "blind":
            await session.expose(seat, "database", view)
            await session.expose(seat, "trace", view)
        await session.seat(seat, HumanPlayer(self._person))

    async def give_back(self, seat: Seat) -> None:
        """Let whoever sat there before sit there again. Raises NotAllowed, UnknownPlayer and RecordingFailed."""
        if self.lent == seat:
            self.lent = None
        player = self._left.pop(seat, None)
        await self._session.seat(seat, player if player is not None else self._again(seat))

    async def give(self, seat: Seat, asked: str) -> None:
        """Let somebody new sit there. Raises NotAllowed, UnknownPlayer and RecordingFailed."""
        player = self._made(seat, asked)
        self._left.pop(seat, None)
        await self._session.seat(seat, player)

    def _again(self, seat: Seat) -> Player:
        info = self.before(seat)
        if info is None:
            raise UnknownPlayer(f"nobody sat in the {seat}'s seat before")
        header = self._with(seat, info)
        partner = partner_of(header, seat) or DEFAULT_PARTNERS[seat]
        return self._seated(seat, partner, header)

    def _made(self, seat: Seat, asked: str) -> Player:
        from sessions.players.model.choice import ModelChoice, WrongModel

        session = self._session
        info = self.before(seat)
        before = model_of(self._with(seat, info), seat) if info is not None else None
        name, _, address = (part.strip() for part in asked.partition(" @ "))
        if address or not _known(seat, name):
            if (
                not address
                and before is not None
                and ("/" not in name or name.split("/")[0] == before.name.split("/")[0])
            ):
                address = before.api_base
            if "/" not in name and not address:
                parse_spec(seat, name)  # says who there is
            model = ModelChoice(name, {} if before is None else before.args, address)
            try:
                model.check()
            except WrongModel as wrong:
                raise UnknownPlayer(str(wrong)) from None
            return seat_player(seat, "llm", session.domain, session.task, session.header.seed, model)
        return seat_player(seat, name, session.domain, session.task, session.header.seed, before)

    def _seated(self, seat: Seat, partner: str, header: Header) -> Player:
        session = self._session
        return seat_player(seat, partner, session.domain, session.task, header.seed, model_of(header, seat))

    def _with(self, seat: Seat, info: PlayerInfo) -> Header:
        header = self._session.header
        return replace(header, players={**header.players, seat: info})


def _known(seat: Seat, name: str) -> bool:
    try:
        parse_spec(seat, name)
    except UnknownPlayer:
        return False
    return True
