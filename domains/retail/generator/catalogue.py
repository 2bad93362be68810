"""What the shop sells: fifty product types, each in a choice of variants."""

from __future__ import annotations

from itertools import product
from typing import Any

from domains.generating import Dice

# name | lowest and highest price | option: values; option: values
PRODUCTS = """
Aquarium | 60 240 | volume: 30 liters, 60 liters, 120 liters; shape: cube, panorama; lighting: white, full spectrum
Armchair | 180 520 | cover: linen, velvet, leather; color: moss, sand, slate; legs: oak, steel
Baby Stroller | 150 480 | color: black, olive, grey; wheels: three, four; seat: forward, reversible
Badminton Set | 25 90 | rackets: 2, 4; frame: aluminium, carbon; net: included, not included
Bathrobe | 30 110 | size: S, M, L, XL; fabric: terry, waffle, fleece; color: white, navy, rose
Bath Towels | 18 75 | pieces: 2, 4, 6; fabric: cotton, bamboo; color: white, teal, ochre
Bed Linen | 35 140 | size: twin, queen, king; fabric: cotton, linen, satin; pattern: plain, striped
Binoculars | 50 330 | magnification: 8x, 10x, 12x; lens: 25 mm, 42 mm; finish: black, camouflage
Board Game | 20 70 | players: 2 to 4, 3 to 6; theme: trains, farming, space; language: English, Spanish
Bread Bin | 20 65 | material: steel, bamboo, enamel; color: cream, black, red
Camping Stove | 30 130 | burners: one, two; fuel: gas, alcohol; ignition: manual, piezo
Car Seat | 90 340 | group: infant, toddler, child; fastening: belt, latch; color: black, blue
Chess Set | 25 160 | wood: maple, walnut, rosewood; size: travel, tournament; board: folding, flat
Cookware Set | 70 310 | pieces: 5, 8, 12; material: steel, copper, ceramic; lids: glass, steel
Cordless Drill | 60 230 | voltage: 12 V, 18 V; batteries: one, two; case: soft bag, hard case
Cutting Board | 15 80 | wood: beech, acacia, walnut; size: small, medium, large; juice groove: yes, no
Desk Fan | 20 95 | diameter: 20 cm, 30 cm; speeds: 3, 6; power: mains, rechargeable
Dog Leash | 12 48 | length: 1.5 m, 3 m, 5 m; material: nylon, leather; color: red, black, green
Doormat | 15 55 | size: narrow, wide; material: coir, rubber; motif: plain, leaves, foxes
Drawing Tablet | 60 350 | area: small, medium, large; pen: battery, passive; connection: cable, wireless
Electric Guitar | 160 620 | body: alder, mahogany; color: sunburst, black, seafoam; pickups: single coil, humbucker
Extension Cord | 12 45 | length: 2 m, 5 m, 10 m; sockets: 3, 6; switch: yes, no
Floor Lamp | 45 190 | shade: paper, fabric, metal; base: brass, black; dimmer: yes, no
Food Processor | 70 290 | bowl: 1.5 liters, 2.5 liters; power: 600 W, 1000 W; color: white, graphite
Frying Pan | 22 110 | diameter: 20 cm, 24 cm, 28 cm; material: iron, steel, aluminium; coating: none, ceramic
Garden Bench | 90 320 | seats: two, three; wood: teak, acacia, pine; back: slatted, carved
Gym Bag | 25 95 | volume: 25 liters, 40 liters; color: black, petrol, coral; shoe pocket: yes, no
Hair Dryer | 25 160 | power: 1400 W, 2000 W; attachments: 1, 3; cord: fixed, retractable
Hammock | 30 120 | width: single, double; fabric: cotton, parachute silk; stand: with, without
Handheld Vacuum | 40 180 | runtime: 15 minutes, 30 minutes; bin: 0.4 liters, 0.7 liters; filter: washable, paper
Ice Skates | 50 210 | size: 38, 40, 42, 44; type: figure, hockey; color: white, black
Inline Skates | 60 230 | size: 38, 40, 42, 44; wheels: 80 mm, 90 mm; closure: laces, buckles
Kitchen Scale | 15 65 | capacity: 5 kg, 10 kg; surface: glass, steel; power: battery, USB
Knife Block | 60 280 | knives: 4, 6, 8; handle: pakkawood, steel; block: bamboo, magnetic
Lunch Box | 12 48 | compartments: 1, 2, 4; material: steel, glass, plastic; color: mint, navy, clear
Mattress Topper | 60 240 | size: twin, queen, king; height: 5 cm, 8 cm; filling: latex, gel foam
Microphone | 50 260 | pattern: cardioid, omni; connection: USB, XLR; stand: tripod, boom arm
Monitor Arm | 35 150 | screens: one, two; mount: clamp, grommet; color: black, white, silver
Paper Shredder | 45 190 | cut: strip, cross, micro; sheets: 6, 10; bin: 15 liters, 25 liters
Picnic Basket | 30 125 | persons: two, four; material: willow, canvas; cooler: yes, no
Pillow | 18 85 | filling: down, latex, buckwheat; firmness: soft, medium, firm; shape: square, contour
Pressure Cooker | 50 220 | capacity: 4 liters, 6 liters, 8 liters; type: stovetop, electric; base: steel, induction
Rain Jacket | 45 190 | size: S, M, L, XL; color: yellow, navy, olive; lining: mesh, none
Record Player | 90 420 | drive: belt, direct; output: speakers, line; finish: walnut, black, white
Scooter | 60 260 | wheels: 145 mm, 200 mm; color: red, blue, black; brake: foot, hand
Sewing Machine | 110 460 | stitches: 16, 60, 200; display: none, digital; cover: soft, hard
Sleeping Bag | 40 230 | season: summer, three season, winter; length: regular, long; zip: left, right
Snowshoes | 70 240 | length: 53 cm, 63 cm, 76 cm; frame: aluminium, composite; binding: strap, dial
Table Runner | 12 55 | length: 120 cm, 150 cm, 180 cm; fabric: linen, jute; color: natural, indigo, rust
Telescope | 120 560 | aperture: 70 mm, 90 mm, 114 mm; mount: altazimuth, equatorial; finder: red dot, optical
"""


def build_products(seed: int) -> dict[str, dict[str, Any]]:
    numbers, choices = Dice(seed, "product numbers"), Dice(seed, "variants")
    taken: set[str] = set()
    products: dict[str, dict[str, Any]] = {}
    for line in PRODUCTS.strip().splitlines():
        name, prices, options = (part.strip() for part in line.split("|"))
        lowest, highest = (int(price) * 100 for price in prices.split())
        product_id = _fresh(numbers, taken)
        variants: dict[str, dict[str, Any]] = {}
        all_options = [dict(combination) for combination in product(*_axes(options))]
        for chosen in choices.sample(all_options, min(len(all_options), choices.between(8, 18))):
            item_id = _fresh(numbers, taken)
            variants[item_id] = {
                "item_id": item_id,
                "options": chosen,
                "available": choices.chance(76),
                "price": choices.between(lowest, highest) / 100,
            }
        products[product_id] = {"name": name, "product_id": product_id, "variants": variants}
    return products


def _axes(options: str) -> list[list[tuple[str, str]]]:
    axes = []
    for option in options.split(";"):
        name, _, values = option.partition(":")
        axes.append([(name.strip(), value.strip()) for value in values.split(",")])
    return axes


def _fresh(dice: Dice, taken: set[str]) -> str:
    number = dice.digits(10)
    while number in taken:
        number = dice.digits(10)
    taken.add(number)
    return number
