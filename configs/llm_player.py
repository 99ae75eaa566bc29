"""A language model as a player, behind any address that speaks OpenAI's chat completions. Copy it and change it.

    players:
      - name: model                                           # the file beside the YAML file
        type: "llm_player.py:LanguageModel"
        url: http://localhost:11434/v1
        model: llama3.2
        key: OPENAI_API_KEY                                   # the environment variable that holds it; "" for none
        usd_in: 0.15                                          # dollars per million tokens
        usd_out: 0.60
        replies: reports/models/replies.jsonl                 # every reply, from the working directory
      - {name: random, type: random}

The report has the means of its numbers: that of `legal_first` is the share of moves legal at the first try.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

from arena import Choice, Pause, Resign

ANSWER = 'Think briefly, then end with one JSON object such as {"move": "%s"}.'

FAILURES = (OSError, http.client.HTTPException, ValueError, LookupError, TypeError, AttributeError)
"""What no answer, half an answer, and one that is not of chat completions end in."""


class LanguageModel:
    """Asks for a move, once more if that is not legal, and then resigns."""

    costs, limits = True, ()

    def __init__(
        self,
        variant,
        name: str,
        url: str,
        model: str,
        key: str = "",
        attempts: int = 2,
        timeout: float = 40.0,
        max_tokens: int = 2000,
        usd_in: float = 0.0,
        usd_out: float = 0.0,
        replies: str = "",
    ):
        """`timeout` is seconds for all requests of a move; keep it below `move_timeout` of the run, 60."""
        if key and not os.environ.get(key):
            raise ValueError(f"the environment variable {key} is not set")
        self.name, self.url, self.model, self.key = name, url.rstrip("/"), model, key
        self.attempts, self.timeout, self.max_tokens = attempts, timeout, max_tokens
        self.usd_in, self.usd_out = usd_in, usd_out
        self.replies = Path(replies) if replies else None
        self.rules = rules_of(variant)

    def choose(self, game, limit, rng):
        messages = [
            {"role": "system", "content": self.rules},
            {"role": "user", "content": f"{position_of(game)}\n\n{ANSWER % game.legal_texts[0]}"},
        ]
        extra = {"tokens": 0, "usd": 0.0, "attempts": 0, "legal_first": 0}
        deadline = time.monotonic() + self.timeout
        for attempt in range(1, self.attempts + 1):
            reply, used = self.asked(messages, deadline)
            extra["attempts"] = attempt
            extra["tokens"] += used[0] + used[1]
            extra["usd"] += (used[0] * self.usd_in + used[1] * self.usd_out) / 1e6
            self.keep(game, attempt, reply, used)
            try:
                move = game.move(str(last_object(reply)["move"]))
            except (LookupError, ValueError) as error:
                reason = "no JSON object with a move" if isinstance(error, LookupError) else str(error)
                legal = ", ".join(game.legal_texts)
                again = f"That is no legal move: {reason}. The legal moves are: {legal}.\n\n{ANSWER % legal[:5]}"
                messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": again}]
                continue
            extra["legal_first"] = int(attempt == 1)
            return Choice(move, extra=extra)
        raise Resign

    def asked(self, messages, deadline):
        """The reply, and its tokens read and written; what fails is tried again until the deadline."""
        pause = 0.5
        while True:
            left = deadline - time.monotonic()
            try:
                return self.reply(messages, max(left, 0.1))
            except urllib.error.HTTPError as error:
                reason = f"HTTP {error.code}"
                if error.code in (400, 401, 403, 404):
                    raise Pause(reason) from None
            except FAILURES as error:
                reason = str(getattr(error, "reason", "")) or type(error).__name__
            if deadline - time.monotonic() <= pause:
                raise Pause(reason)
            time.sleep(pause)
            pause *= 2

    def reply(self, messages, seconds):
        secret = os.environ.get(self.key, "") if self.key else ""
        asked = {"model": self.model, "messages": messages, "max_tokens": self.max_tokens, "temperature": 0}
        data = json.dumps(asked).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/chat/completions", data, headers)
        if secret:
            request.add_unredirected_header("Authorization", f"Bearer {secret}")
        with urllib.request.urlopen(request, timeout=seconds) as response:
            text = response.read().decode()
        document = json.loads(text.replace(secret, "[key]") if secret else text)
        usage = document.get("usage") or {}
        used = [int(usage.get(f"{kind}_tokens") or 0) for kind in ("prompt", "completion")]
        return str(document["choices"][0]["message"]["content"] or ""), used

    def keep(self, game, attempt, reply, used):
        if self.replies is not None:
            self.replies.parent.mkdir(parents=True, exist_ok=True)
            kept = {"player": self.name, "fen": game.fen, "ply": len(game.moves) + 1, "attempt": attempt}
            with self.replies.open("a", encoding="utf-8") as file:
                file.write(json.dumps(kept | {"tokens": used, "reply": reply}) + "\n")


def last_object(reply):
    """The last JSON object in a text that has a move; {} without one."""
    found, place = {}, reply.find("{")
    while place >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(reply, place)
        except ValueError:
            end = place + 1
        else:
            found = value if "move" in value else found
        place = reply.find("{", end)
    return found


def rules_of(variant):
    """What a model has to know of the rules, in words."""
    rules = variant.rules
    size = f"{2 * rules.per_row}x{rules.rows}"
    lines = [
        f"You play {variant.name} draughts (checkers) on a board of {size}.",
        "Dark squares are numbered from 1, row by row from the top left. Black starts at the top, White below.",
        "Men move one square diagonally forward; kings "
        + ("any distance along a diagonal." if rules.flying else "one square in any diagonal direction."),
        "Captures jump over an enemy piece to the empty square behind it, must be made, and go on while they can.",
        "Men capture forward and backward." if rules.men_capture_backward else "Men capture forward only.",
    ]
    if rules.majority:
        lines.append("Of several captures one that takes the most pieces must be made.")
    if rules.losing_wins:
        lines.append("Who has no move left wins.")
    return "\n".join([*lines, "A move is written 11-15, a capture 22x15; with the squares between if needed."])


def position_of(game):
    """The position in a picture and as FEN, and who is to move."""
    side = "White" if game.turn == 0 else "Black"
    return f"b and w are men, B and W kings:\n\n{game}\n\nFEN: {game.fen}\nYou are {side} and to move."
