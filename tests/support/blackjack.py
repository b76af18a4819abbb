"""gymnasium's Blackjack (``sab=False``) with an endless deck, in rationals: what a policy is worth, and the optimum.

With ``sab=True``, gymnasium's default, 21 with an ace pays otherwise as the first hand than later, so the reward is no
function of observation and action, and no theorem about Markov models covers the game.
"""

from collections import Counter
from fractions import Fraction
from functools import cache

CARDS = {card: Fraction(4 if card == 10 else 1, 13) for card in range(1, 11)}
SIZES = (32, 11, 2)
OVER = 32 * 11 * 2


def number(total, dealer, ace):
    """The learner's number of an observation."""
    return (total * SIZES[1] + dealer) * SIZES[2] + ace


def with_card(hand, card):
    """A hand is (total, whether an ace counts as 11)."""
    total, ace = hand
    low = total - 10 * ace + card
    return (low + 10, 1) if (ace or card == 1) and low + 10 <= 21 else (low, 0)


@cache
def dealer_ends(hand):
    """The law of the dealer's last total, 0 if above 21."""
    if hand[0] >= 17:
        return {hand[0] if hand[0] <= 21 else 0: Fraction(1)}
    law = Counter()
    for card, p in CARDS.items():
        for total, q in dealer_ends(with_card(hand, card)).items():
            law[total] += p * q
    return law


@cache
def worth_of_sticking(total, dealer):
    ends = dealer_ends(with_card((0, 0), dealer))
    return sum(((total > other) - (total < other)) * p for other, p in ends.items())


def first_hands():
    """``(probability, dealer's card, hand)``."""
    for dealer, p in CARDS.items():
        for one, q in CARDS.items():
            for two, r in CARDS.items():
                yield p * q * r, dealer, with_card(with_card((0, 0), one), two)


def worth(steps, choose):
    """The expected return of ``choose(t, (total, dealer, ace))``: 1 hits, 0 sticks, None is the better of both.  After
    so many steps a hand that goes on is over and pays nothing.
    """

    @cache
    def value(t, dealer, hand):
        if t == steps:
            return Fraction()
        action = choose(t, (hand[0], dealer, hand[1]))
        stick = None if action == 1 else worth_of_sticking(hand[0], dealer)
        if action == 0:
            return stick
        hit = Fraction()
        for card, p in CARDS.items():
            after = with_card(hand, card)
            hit += p * (value(t + 1, dealer, after) if after[0] <= 21 else -1)
        return hit if action == 1 else max(stick, hit)

    return sum(p * value(0, dealer, hand) for p, dealer, hand in first_hands())


def worth_of_policy(policy):
    """The mean of a policy learned in the environment; only the last step pays, so t determines its memory."""
    memories = [policy.start()]
    for _ in range(policy.shell.steps):
        memories.append(policy.observe(memories[-1], 0))
    return worth(policy.shell.steps, lambda t, seen: policy.act(t, seen, memories[t]))


def rules():
    """The rules of the game without any probability, as declarations: sticking ends the episode, a hit leads to a bust
    or to some hand of at most 21 and leaves the dealer's card as it is; only the end pays, a bust -1.
    """
    follows = {}
    for total in range(SIZES[0]):
        for dealer in range(SIZES[1]):
            for ace in range(SIZES[2]):
                s = number(total, dealer, ace)
                follows[s, 0] = [OVER]
                follows[s, 1] = [OVER, *(number(x, dealer, y) for x in range(4, 22) for y in range(2))]

    def pays(s, action, after):
        if after != OVER:
            return 0
        return -1 if action else (-1, 0, 1)

    return {"known_successors": follows, "known_rewards": pays}
