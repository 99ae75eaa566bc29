// English draughts by the Hub protocol: a player that looks one move ahead. Make `choose` look further.
// A position has 46 cells. Cell 0 is the side to move, W or B; squares 1 to 32 are cells 6 to 40, with a blank cell
// after every eight, so that the neighbours of a square are always 4 and 5 cells before and after it.
// A square has a man, w or b, a king, W or B, or e, nothing. A move is a text: 9-13, or 9x18x14, the captured last.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char cells[46]; } Position;
typedef struct { int count; char list[200][50]; } Moves;
const int STEPS[] = {-5, -4, 4, 5};
int cellOf(int square) { return square + 5 + (square - 1) / 8; }
int squareOf(int cell) { return cell - 5 - (cell - 6) / 9; }
char sideOf(char piece) { return toupper(piece); }
char other(char side) { return side == 'W' ? 'B' : 'W'; }

// Adds the moves of a piece that has come from one cell to another, where a capture goes on as long as it can.
void addMoves(Position position, int from, int at, const char *captured, Moves *moves) {
    char *cells = position.cells, piece = cells[at], more[50];
    int before = moves->count;
    for (int i = 0; i < 4; i++) {
        int near = at + STEPS[i], far = near + STEPS[i];
        if (piece == (STEPS[i] < 0 ? 'b' : 'w')) continue; // a man moves forward only
        if (sideOf(cells[near]) == other(cells[0]) && cells[far] == 'e') {
            Position next = position;
            next.cells[at] = next.cells[near] = 'e', next.cells[far] = piece;
            sprintf(more, "%sx%d", captured, squareOf(near));
            addMoves(next, from, far, more, moves);
        } else if (cells[near] == 'e' && !*captured)
            sprintf(moves->list[moves->count++], "%d-%d", squareOf(from), squareOf(near));
    }
    if (*captured && moves->count == before)
        sprintf(moves->list[moves->count++], "%dx%d%s", squareOf(from), squareOf(at), captured);
}

// All legal moves: captures alone, if there are any.
Moves legalMoves(Position position) {
    Moves moves = {0}, captures = {0};
    for (int cell = cellOf(1); cell <= cellOf(32); cell++)
        if (sideOf(position.cells[cell]) == position.cells[0]) addMoves(position, cell, cell, "", &moves);
    for (int i = 0; i < moves.count; i++)
        if (strchr(moves.list[i], 'x')) strcpy(captures.list[captures.count++], moves.list[i]);
    return captures.count > 0 ? captures : moves;
}

// The position after a move.
Position play(Position position, const char *move) {
    char *rest, *cells = position.cells;
    int from = cellOf(strtol(move, &rest, 10)), to = cellOf(strtol(rest + 1, &rest, 10));
    char piece = cells[from];
    cells[from] = 'e';
    while (*rest) cells[cellOf(strtol(rest + 1, &rest, 10))] = 'e';
    cells[to] = (piece == 'w' ? to <= cellOf(4) : to >= cellOf(29)) ? toupper(piece) : piece;
    cells[0] = other(cells[0]);
    return position;
}

// What a position is worth to its side to move.
int evaluate(Position position) {
    int value = 0;
    for (int cell = cellOf(1); cell <= cellOf(32); cell++) {
        char piece = position.cells[cell];
        int worth = isupper(piece) ? 150 : 100;
        if (sideOf(piece) == position.cells[0]) value += worth;
        if (sideOf(piece) == other(position.cells[0])) value -= worth;
    }
    return value;
}

// The number of the first of the moves after which the position is worth least to the other side.
int choose(Position position, Moves moves) {
    int best = 0;
    for (int i = 1; i < moves.count; i++)
        if (evaluate(play(position, moves.list[i])) < evaluate(play(position, moves.list[best]))) best = i;
    return best;
}

// A position from the text of Hub: the side to move, then a letter for each square.
Position parse(const char *text) {
    Position position;
    memset(position.cells, ' ', sizeof position.cells);
    for (int square = 1; square <= 32; square++) position.cells[cellOf(square)] = text[square];
    position.cells[0] = text[0];
    return position;
}

int main(void) {
    Position position = {0};
    char line[10000], *words[999];
    while (fgets(line, sizeof line, stdin)) {
        int count = 0; // words are such as pos, pos, BbbbeeWe..., moves, 1-5, 32-27
        for (char *word = strtok(line, " =\"\n"); word; word = strtok(NULL, " =\"\n")) words[count++] = word;
        char *command = count > 0 ? words[0] : "";
        if (!strcmp(command, "hub")) {
            puts("id name=starter version=1.0 author=\"\" country=\"\"");
            puts("param name=variant value=english type=enum values=english\nwait");
        } else if (!strcmp(command, "init")) puts("ready");
        else if (!strcmp(command, "pos")) {
            position = parse(words[2]);
            for (int i = 4; i < count; i++) position = play(position, words[i]);
        } else if (!strcmp(command, "go")) {
            Moves moves = legalMoves(position);
            printf("done move=%s\n", moves.list[choose(position, moves)]);
        } else if (!strcmp(command, "ping")) puts("pong");
        else if (!strcmp(command, "quit")) break;
        fflush(stdout);
    } // `new-game` and `level` need no answer; the words after `level` are the limit, such as depth, 6
}
