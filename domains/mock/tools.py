"""A task list for the agent and an inbox for the user: the smallest world in which everything can be tried."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from domains.database import Rows
from domains.mock.models import Notification, TaskStatus, TodoTask
from domains.schema import record
from domains.toolkit import Seat, Toolkit, env_function, tool
from domains.values import JSON, Record

TaskId = Annotated[str, Field(description="Id of a task, for example task_1")]
UserId = Annotated[str, Field(description="Id of a user, for example user_1")]
NotificationId = Annotated[str, Field(description="Id of a notification, for example notif_1")]


class MockTools(Toolkit):
    """The agent's side: tasks and the users they belong to."""

    def _task(self, task_id: str) -> Record:
        found = _table(self, "tasks").get(task_id)
        if found is None:
            raise ValueError(f"Task {task_id} not found")
        return found

    def _user(self, user_id: str) -> Record:
        found = _table(self, "users").get(user_id)
        if found is None:
            raise ValueError(f"User {user_id} not found")
        return found

    @tool("write")
    def create_task(
        self,
        user_id: UserId,
        title: Annotated[str, Field(description="What is to be done, in a few words")],
        description: Annotated[str | None, Field(description="More about it, if there is more")] = None,
    ) -> JSON:
        """Put a new pending task on a user's list."""
        self._user(user_id)
        # Official oddity: ids are counted, so a list with gaps can have a task replaced.
        task_id = f"task_{len(self.db.rows('tasks')) + 1}"
        task = record(TodoTask(task_id=task_id, title=title, description=description, status="pending"))
        self.db.insert("tasks", task_id, task)
        self.db.edit("users", user_id)["tasks"].append(task_id)
        return task

    @tool("read")
    def get_users(self) -> JSON:
        """List every user with the ids of their tasks."""
        return list(_table(self, "users").values())

    @tool("write")
    def update_task_status(self, task_id: TaskId, status: TaskStatus) -> JSON:
        """Mark a task as pending or completed."""
        self._task(task_id)
        task = self.db.edit("tasks", task_id)
        # Assigned, not validated: any status is stored as it came.
        task["status"] = status
        return task

    @tool("generic")
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the user needs, in short")]
    ) -> JSON:
        """Hand the user to a human colleague, when asked for one or when policy and tools leave no way."""
        return "Transfer successful"

    @env_function
    def assert_number_of_tasks(self, user_id: str, expected_number: int) -> bool:
        return len(self._user(user_id)["tasks"]) == expected_number

    @env_function
    def assert_task_status(self, task_id: str, expected_status: TaskStatus) -> bool:
        return bool(self._task(task_id)["status"] == expected_status)


class MockUserTools(Toolkit):
    """The user's side: an inbox of notifications."""

    owner: ClassVar[Seat] = "user"

    def _notification(self, notification_id: str) -> Record:
        found = _table(self, "notifications").get(notification_id)
        if found is None:
            raise ValueError(f"Notification {notification_id} not found")
        return found

    @tool("read")
    def check_notifications(self) -> JSON:
        """Look into your inbox: every notification, read or not."""
        return list(_table(self, "notifications").values())

    @tool("write")
    def dismiss_notification(self, notification_id: NotificationId) -> JSON:
        """Mark a notification in your inbox as read."""
        self._notification(notification_id)
        self.db.edit("notifications", notification_id)["status"] = "read"
        return f"Notification {notification_id} dismissed"

    @env_function
    def add_notification(self, notification_id: str, message: str, task_id: str | None = None) -> JSON:
        _table(self, "notifications")
        new = record(Notification(notification_id=notification_id, message=message, task_id=task_id))
        return self.db.insert("notifications", notification_id, new)

    @env_function
    def assert_notification_status(self, notification_id: str, expected_status: str) -> bool:
        return bool(self._notification(notification_id)["status"] == expected_status)


def _table(kit: Toolkit, name: str) -> Rows:
    """Return a table, or say why it is not there: after initialisation data both sides share one database."""
    if name not in kit.db.base.tables:
        raise ValueError(f"There are no {name} here: initialization_data made both sides share one database")
    return kit.db.rows(name)
