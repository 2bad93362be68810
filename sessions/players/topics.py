"""What can be asked of a customer, and the words in which it is."""

from __future__ import annotations

import re
from collections.abc import Mapping


def any_of(*patterns: str) -> re.Pattern[str]:
    """Compile alternatives."""
    return re.compile("|".join(f"(?:{p})" for p in patterns))


TOPICS: Mapping[str, re.Pattern[str]] = {
    "user_id": any_of(
        r"\buser[ -]?(?:id|name|identification)\b",
        r"\busername\b",
        r"\b(?:account|profile|login|member(?:ship)?) (?:id|number|name)\b",
        r"\bidentify yourself\b",
        r"\buser number\b",
    ),
    "name": any_of(
        r"\b(?:your|full|first and last|the account holder's?|customer'?s?) (?:full )?names?\b",
        r"\bwho (?:am i|do i have|is this|are you)\b",
        r"\bwhom am i\b",
        r"\bwhat are you called\b",
        r"\bshould i call you\b",
        r"\bfirst name\b",
        r"\blast name\b",
        r"\bsurname\b",
    ),
    "email": any_of(r"\be-?mail\b"),
    "zip": any_of(r"\bzip ?code\b", r"\bzip\b", r"\bpost(?:al)? ?codes?\b"),
    "phone_number": any_of(
        r"\b(?:phone|mobile|cell|telephone|contact)(?: ?phone)? numbers?\b", r"\bwhat number\b", r"\bwhich number\b"
    ),
    "dob": any_of(r"\bdate of birth\b", r"\bbirth ?(?:date|day)s?\b", r"\bdates of birth\b", r"\bdob\b", r"\bborn\b"),
    "reservation_id": any_of(
        r"\b(?:reservation|booking|confirmation|itinerary|trip|flight confirmation)(?: or \w+)? ?(?:id|number|code|"
        r"reference|no\.?|ids|numbers|codes)\b",
        r"\brecord locator\b",
        r"\bpnr\b",
        r"\bwhich (?:of your )?(?:reservation|booking|trip)s?\b",
        r"\bwhat (?:reservation|booking|trip)\b",
        r"\byour (?:reservation|booking)s?\b(?! (?:is|was|has|have))",
        r"\b(?:reservation|booking) (?:are|do) you\b",
    ),
    "order_id": any_of(r"\border(?:'s)? (?:id|number|no\.?|ids|numbers)\b", r"\bwhich orders?\b", r"\bwhat order\b"),
    "items": any_of(
        r"\bwhich (?:items?|products?|ones?)\b", r"\bwhat (?:items?|products?)\b", r"\bitems? (?:would|do) you\b"
    ),
    "new_items": any_of(
        r"\b(?:replace|exchange|swap|switch) (?:it|them|that|those) (?:for|with|to)\b",
        r"\bnew (?:items?|options?|variants?)\b",
        r"\b(?:options?|variants?|colou?r|size|material|specifications?)\b",
    ),
    "payment_id": any_of(
        r"\bpay(?:ing|ment|ments)?\b",
        r"\b(?:credit |gift )?cards?\b",
        r"\bcertificates?\b",
        r"\bcharged?\b",
        r"\bpaypal\b",
        r"\brefunded to\b",
        r"\brefund (?:method|to)\b",
    ),
    "date": any_of(
        r"\b(?:what|which) (?:travel |departure |return )?(?:dates?|days?)\b",
        r"\bwhen\b",
        r"\b(?:travel|departure|return|flight|trip)(?:ing)? (?:dates?|day)\b",
        r"\bdates?\b(?! of birth)",
    ),
    "route": any_of(
        r"\bfrom where\b",
        r"\bwhere\b",
        r"\borigin\b",
        r"\bdestination\b",
        r"\broutes?\b",
        r"\b(?:which|what) (?:cit(?:y|ies)|airports?|route|places?)\b",
        r"\b(?:departure|arrival) (?:cit(?:y|ies)|airports?)\b",
        r"\bflying (?:from|to)\b",
    ),
    "cabin": any_of(r"\bcabin\b", r"\b(?:travel |fare |service |seat )?class\b", r"\bbusiness or\b", r"\beconomy or\b"),
    "flights": any_of(
        r"\b(?:which|what) (?:new )?flights?\b",
        r"\bflight numbers?\b",
        r"\bflights? (?:would|do|did|are) you\b",
        r"\bwhich (?:option|one|connection)\b",
        r"\bdirect (?:flight )?or\b",
        r"\bnonstop\b",
        r"\bpreferences?\b",
        r"\bprefer\b(?!.*\b(?:card|pay))",
    ),
    "total_baggages": any_of(r"\bbags?\b", r"\bbaggages?\b", r"\bluggage\b", r"\bsuitcases?\b"),
    "insurance": any_of(r"\binsurance\b", r"\binsured\b"),
    "passengers": any_of(
        r"\bpassengers?\b",
        r"\btravell?ers?\b",
        r"\bwho(?: else)? (?:is|are|will be|would be|'s) (?:travell?ing|flying|going|coming)\b",
        r"\bhow many people\b",
        r"\bhow many (?:of you|persons|seats|tickets)\b",
        r"\bcompanions?\b",
        r"\btravell?ing (?:alone|with)\b",
    ),
    "reason": any_of(r"\breasons?\b", r"\bwhy\b", r"\bwhat happened\b", r"\bwhat's the cause\b"),
    "flight_type": any_of(
        r"\bone[ -]way\b",
        r"\bround[ -]trip\b",
        r"\btype of (?:trip|flight|ticket)\b",
        r"\btrip type\b",
        r"\breturn (?:trip|ticket|flight)\b.*\bor\b",
    ),
    "membership": any_of(r"\bmember(?:ship)?\b(?! (?:id|number))", r"\bstatus (?:level|tier)\b", r"\bloyalty\b"),
    "address": any_of(
        r"\baddress(?:es)?\b(?<!mail address)",
        r"\bstreet\b",
        r"\bwhere should (?:it|the order|this) be (?:sent|shipped|delivered)\b",
    ),
    "location": any_of(
        r"\bwhere are you\b", r"\babroad\b", r"\btravell?ing (?:abroad|now)\b", r"\bwhich country\b", r"\blocation\b"
    ),
    "amount": any_of(r"\bhow much (?:data|would you like)\b", r"\bhow many (?:gb|gigabytes)\b"),
    "budget": any_of(r"\bbudget\b", r"\bwilling to (?:pay|spend)\b", r"\bmaximum\b", r"\bprice limit\b"),
    "device": any_of(r"\bwhich (?:phone|device)\b", r"\bwhat (?:phone|device|model)\b", r"\bdevice model\b"),
}
"""What can be asked of a customer, named as tools and facts name it."""
