"""The airline's fourteen tools, exact to the recordings: what only the policy forbids, they let through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from domains.airline.models import (
    Cabin,
    Certificate,
    FlightInfo,
    FlightType,
    Passenger,
    Payment,
    Reservation,
    ReservationFlight,
    YesNo,
)
from domains.calculate import calculate
from domains.schema import record
from domains.toolkit import Toolkit, tool
from domains.values import JSON, Record

NOW = "2024-05-15T15:00:00"

AIRPORTS = {
    "SFO": "San Francisco",
    "JFK": "New York",
    "LAX": "Los Angeles",
    "ORD": "Chicago",
    "DFW": "Dallas",
    "DEN": "Denver",
    "SEA": "Seattle",
    "ATL": "Atlanta",
    "MIA": "Miami",
    "BOS": "Boston",
    "PHX": "Phoenix",
    "IAH": "Houston",
    "LAS": "Las Vegas",
    "MCO": "Orlando",
    "EWR": "Newark",
    "CLT": "Charlotte",
    "MSP": "Minneapolis",
    "DTW": "Detroit",
    "PHL": "Philadelphia",
    "LGA": "LaGuardia",
}

NEW_RESERVATION_IDS = ("HATHAT", "HATHAU", "HATHAV")
NEW_CERTIFICATE_IDS = ("certificate_3221322", "certificate_3221323", "certificate_3221324")

UserId = Annotated[str, Field(description="The customer's user id, for example maria_park_4821")]
ReservationId = Annotated[str, Field(description="The six-character reservation id, for example K7Q2ZD")]
Airport = Annotated[str, Field(description="IATA code in capitals, for example BOS")]
Day = Annotated[str, Field(description="A day, YYYY-MM-DD")]
FlightNumber = Annotated[str, Field(description="Flight number, for example HAT105")]
PaymentId = Annotated[
    str, Field(description="Id of a payment method in the customer's profile, for example gift_card_1932276")
]
Flights = Annotated[
    list[FlightInfo], Field(description="Every segment of the whole trip, in order, unchanged ones too")
]
Passengers = Annotated[list[Passenger], Field(description="Every passenger of the reservation")]


class AirlineTools(Toolkit):
    """All of them belong to the agent."""

    def _user(self, user_id: str) -> Record:
        return self.row("users", user_id, f"User {user_id} not found")

    def _reservation(self, reservation_id: str) -> Record:
        return self.row("reservations", reservation_id, f"Reservation {reservation_id} not found")

    def _flight(self, flight_number: str) -> Record:
        return self.row("flights", flight_number, f"Flight {flight_number} not found")

    def _flight_on(self, flight_number: str, date: str) -> Record:
        dates = self._flight(flight_number)["dates"]
        if date not in dates:
            raise ValueError(f"Flight {flight_number} not found on date {date}")
        found: Record = dates[date]
        return found

    def _bookable(self, info: FlightInfo, cabin: str, seats: int) -> Record:
        """Return the flight on that day when it is for sale and has the seats."""
        day = self._flight_on(info.flight_number, info.date)
        if day["status"] != "available":
            raise ValueError(f"Flight {info.flight_number} not available on date {info.date}")
        if day["available_seats"][cabin] < seats:
            raise ValueError(f"Not enough seats on flight {info.flight_number}")
        return day

    def _segment(self, info: FlightInfo, price: int) -> ReservationFlight:
        flight = self._flight(info.flight_number)
        return ReservationFlight(
            flight_number=info.flight_number,
            origin=flight["origin"],
            destination=flight["destination"],
            date=info.date,
            price=price,
        )

    # Reading

    @tool("read")
    def get_user_details(self, user_id: UserId) -> JSON:
        """Show a customer's profile: name, address, date of birth, payment methods, membership, reservation ids."""
        return self._user(user_id)

    @tool("read")
    def get_reservation_details(self, reservation_id: ReservationId) -> JSON:
        """Show one reservation: segments, cabin, passengers, bags, insurance, payments, status."""
        return self._reservation(reservation_id)

    @tool("read")
    def list_all_airports(self) -> JSON:
        """List the airports served, with their cities."""
        return [Record(iata=iata, city=city) for iata, city in AIRPORTS.items()]

    @staticmethod
    def _direct(
        flights: Iterable[Record],
        date: str,
        origin: str | None,
        destination: str | None,
        leave_after: str | None = None,
    ) -> list[Record]:
        found = []
        for flight in flights:
            if (
                (origin is None or flight["origin"] == origin)
                and (destination is None or flight["destination"] == destination)
                and date in flight["dates"]
                and flight["dates"][date]["status"] == "available"
                and (leave_after is None or flight["scheduled_departure_time_est"] >= leave_after)
            ):
                day = flight["dates"][date]
                found.append(
                    Record(
                        flight_number=flight["flight_number"],
                        origin=flight["origin"],
                        destination=flight["destination"],
                        status="available",
                        scheduled_departure_time_est=flight["scheduled_departure_time_est"],
                        scheduled_arrival_time_est=flight["scheduled_arrival_time_est"],
                        date=None,
                        available_seats=day["available_seats"],
                        prices=day["prices"],
                    )
                )
        return found

    @tool("read")
    def search_direct_flight(self, origin: Airport, destination: Airport, date: Day) -> JSON:
        """Find flights for sale between two airports on one day, with seats and prices by cabin."""
        return self._direct(self.db.rows("flights").values(), date, origin, destination)

    @tool("read")
    def search_onestop_flight(self, origin: Airport, destination: Airport, date: Day) -> JSON:
        """Find pairs of flights for sale that connect two airports with one change, starting on one day."""
        flights = self.db.rows("flights").values()
        leaving = defaultdict(list)  # going through all of them once more for each first flight would take minutes
        for flight in flights:
            leaving[flight["origin"]].append(flight)
        found = []
        for first in self._direct(flights, date, origin, None):
            change = first["destination"]
            first["date"] = date
            arrival = first["scheduled_arrival_time_est"]
            # Official oddity: the day after a night flight is always in May, and 2024-05-9 is not zero-padded.
            onward = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
            for second in self._direct(leaving[change], onward, change, destination, leave_after=arrival):
                second["date"] = onward
                found.append([first, second])
        return found

    @tool("read")
    def get_flight_status(self, flight_number: FlightNumber, date: Day) -> JSON:
        """Tell how a flight stands on one day: available, on time, delayed, flying, landed or cancelled."""
        return self._flight_on(flight_number, date)["status"]

    # Writing

    @tool("write")
    def book_reservation(
        self,
        user_id: UserId,
        origin: Airport,
        destination: Airport,
        flight_type: Annotated[FlightType, Field(description="One way or round trip")],
        cabin: Annotated[Cabin, Field(description="The cabin of every segment")],
        flights: Flights,
        passengers: Passengers,
        payment_methods: Annotated[list[Payment], Field(description="How the whole price is paid, to the dollar")],
        total_baggages: Annotated[int, Field(description="Checked bags in all")],
        nonfree_baggages: Annotated[int, Field(description="Checked bags beyond the free allowance")],
        insurance: Annotated[YesNo, Field(description="Travel insurance for every passenger")],
    ) -> JSON:
        """Book a trip and charge it. The payments must add up to fares, insurance and paid bags exactly."""
        segments = _made(FlightInfo, flights)
        people = _made(Passenger, passengers)
        payments = _made(Payment, payment_methods)
        user = self._user(user_id)
        reservation_id = next((i for i in NEW_RESERVATION_IDS if self.db.get("reservations", i) is None), None)
        if reservation_id is None:  # official oddity: three new reservations, then no more
            raise ValueError("Too many reservations")
        reservation = Reservation(
            reservation_id=reservation_id,
            user_id=user_id,
            origin=origin,
            destination=destination,
            flight_type=flight_type,
            cabin=cabin,
            flights=[],
            passengers=people,
            payment_history=payments,
            created_at=NOW,
            total_baggages=total_baggages,
            nonfree_baggages=nonfree_baggages,
            insurance=insurance,
        )
        price: Any = 0
        for info in segments:
            day = self._bookable(info, cabin, len(people))
            reservation.flights.append(self._segment(info, day["prices"][cabin]))
            price += day["prices"][cabin] * len(people)
        if insurance == "yes":
            price += 30 * len(people)
        price += 50 * nonfree_baggages

        methods = user["payment_methods"]
        for payment in payments:
            if payment.payment_id not in methods:
                raise ValueError(f"Payment method {payment.payment_id} not found")
            method = methods[payment.payment_id]
            if method["source"] != "credit_card" and method["amount"] < payment.amount:
                raise ValueError(f"Not enough balance in payment method {payment.payment_id}")
        paid = sum(payment.amount for payment in payments)
        if paid != price:
            raise ValueError(f"Payment amount does not add up, total price is {price}, but paid {paid}")

        user = self.db.edit("users", user_id)
        methods = user["payment_methods"]
        for payment in payments:
            match methods[payment.payment_id]["source"]:
                case "gift_card":
                    methods[payment.payment_id]["amount"] -= payment.amount
                case "certificate":  # official oddity: consumed whole, whatever it paid
                    del methods[payment.payment_id]
        for info in segments:
            flight = self.db.edit("flights", info.flight_number)
            flight["dates"][info.date]["available_seats"][cabin] -= len(people)
        user["reservations"].append(reservation_id)
        return self.db.insert("reservations", reservation_id, record(reservation))

    @tool("write")
    def cancel_reservation(self, reservation_id: ReservationId) -> JSON:
        """Cancel a whole reservation and refund every payment to where it came from."""
        self._reservation(reservation_id)
        reservation = self.db.edit("reservations", reservation_id)
        history = reservation["payment_history"]
        # Official oddity: cancelling twice negates everything again, and no seats are freed.
        history.extend([record(Payment(payment_id=p["payment_id"], amount=-p["amount"])) for p in history])
        reservation["status"] = "cancelled"
        return reservation

    @tool("write")
    def update_reservation_flights(
        self,
        reservation_id: ReservationId,
        cabin: Annotated[Cabin, Field(description="The cabin of every segment after the change")],
        flights: Flights,
        payment_id: PaymentId,
    ) -> JSON:
        """Change segments or cabin of a reservation and charge or refund the difference."""
        segments = _made(FlightInfo, flights)
        reservation = self._reservation(reservation_id)
        user = self._user(reservation["user_id"])
        seats = len(reservation["passengers"])
        kept = {(s["flight_number"], s["date"]): s for s in reversed(reservation["flights"])}
        price: Any = 0
        updated = []
        for info in segments:
            # Official oddity: a segment kept in the same cabin keeps the price it was bought for.
            segment = kept.get((info.flight_number, info.date)) if cabin == reservation["cabin"] else None
            if segment is None:
                day = self._bookable(info, cabin, seats)
                segment = record(self._segment(info, day["prices"][cabin]))
            price += segment["price"] * seats
            updated.append(segment)
        price -= sum(s["price"] for s in reservation["flights"]) * seats
        payment = self._charge(user, payment_id, price)
        reservation = self.db.edit("reservations", reservation_id)
        if payment is not None:
            reservation["payment_history"].append(payment)
        # Official oddity: the seats of the new flights are not taken.
        reservation["flights"] = updated
        reservation["cabin"] = cabin
        return reservation

    @tool("write")
    def update_reservation_passengers(self, reservation_id: ReservationId, passengers: Passengers) -> JSON:
        """Replace the passengers of a reservation; their number stays."""
        people = _made(Passenger, passengers)
        reservation = self._reservation(reservation_id)
        if len(people) != len(reservation["passengers"]):
            raise ValueError("Number of passengers does not match")
        reservation = self.db.edit("reservations", reservation_id)
        # Assigned, not validated: a list of anything else of the right length is stored as it came.
        reservation["passengers"] = [record(p) if isinstance(p, BaseModel) else p for p in people]
        return reservation

    @tool("write")
    def update_reservation_baggages(
        self,
        reservation_id: ReservationId,
        total_baggages: Annotated[int, Field(description="Checked bags in all after the change")],
        nonfree_baggages: Annotated[int, Field(description="Checked bags beyond the free allowance after the change")],
        payment_id: PaymentId,
    ) -> JSON:
        """Change the bags of a reservation and charge the added paid ones."""
        reservation = self._reservation(reservation_id)
        user = self._user(reservation["user_id"])
        price = 50 * max(0, nonfree_baggages - reservation["nonfree_baggages"])
        payment = self._charge(user, payment_id, price)
        reservation = self.db.edit("reservations", reservation_id)
        if payment is not None:
            reservation["payment_history"].append(payment)
        # Official oddity: stored as given, so that "7" or 4.0 stay what they are, also to the digest.
        reservation["total_baggages"] = total_baggages
        reservation["nonfree_baggages"] = nonfree_baggages
        return reservation

    def _charge(self, user: Record, payment_id: str, price: Any) -> Record | None:
        """Take the price from a gift card at once; return the payment to be noted, None when nothing is due."""
        method = user["payment_methods"].get(payment_id)
        if method is None:
            raise ValueError("Payment method not found")
        match method["source"]:
            case "certificate":
                raise ValueError("Certificate cannot be used to update reservation")
            case "gift_card":
                if method["amount"] < price:
                    raise ValueError("Gift card balance is not enough")
                # Written before the payment is validated: what a failing call had written stays.
                self.db.edit("users", user["user_id"])["payment_methods"][payment_id]["amount"] -= price
        return None if price == 0 else record(Payment(payment_id=payment_id, amount=price))

    @tool("write")
    def send_certificate(
        self, user_id: UserId, amount: Annotated[int, Field(description="Its value in whole dollars")]
    ) -> JSON:
        """Give a customer a travel certificate. It cannot be taken back."""
        held = self._user(user_id)["payment_methods"]
        new = next((i for i in NEW_CERTIFICATE_IDS if i not in held), None)
        if new is None:  # official oddity: three new certificates for a customer, then no more
            raise ValueError("Too many certificates")
        certificate = record(Certificate(source="certificate", id=new, amount=amount))
        self.db.edit("users", user_id)["payment_methods"][new] = certificate
        return f"Certificate {new} added to user {user_id} with amount {amount}."

    # Generic

    @tool("generic")
    def calculate(
        self, expression: Annotated[str, Field(description="Numbers, + - * / ( ) and spaces: (183 + 30) * 2")]
    ) -> JSON:
        """Work out a sum, rounded to two decimals."""
        return calculate(expression)

    @tool("generic")
    def transfer_to_human_agents(
        self, summary: Annotated[str, Field(description="What the customer needs, in short")]
    ) -> JSON:
        """Hand the customer to a human colleague, when asked for one or when policy and tools leave no way."""
        return "Transfer successful"


def _made(model: type[BaseModel], values: Sequence[Any]) -> Any:
    """Validate a list of plain objects; a list that holds anything else is taken as it is, as officially."""
    return [model(**value) for value in values] if all(isinstance(value, dict) for value in values) else values
