// English draughts by the Hub protocol: a player that looks one move ahead. Make `choose` look further.
// A position has 46 cells. Cell 0 is the side to move, W or B; squares 1 to 32 are cells 6 to 40, with a blank cell
// after every eight, so that the neighbours of a square are always 4 and 5 cells before and after it.
// A square has a man, w or b, a king, W or B, or e, nothing. A move is a text: 9-13, or 9x18x14, the captured last.
import java.util.*;

class Starter {
    static final int[] STEPS = {-5, -4, 4, 5};
    static int cellOf(int square) { return square + 5 + (square - 1) / 8; }
    static int squareOf(int cell) { return cell - 5 - (cell - 6) / 9; }
    static char sideOf(char piece) { return Character.toUpperCase(piece); }
    static char other(char side) { return side == 'W' ? 'B' : 'W'; }

    /** Adds the moves of a piece that has come from one cell to another, where a capture goes on as long as it can. */
    static void addMoves(char[] position, int from, int at, String captured, List<String> moves) {
        int before = moves.size();
        char piece = position[at];
        for (int step : STEPS) {
            int near = at + step, far = near + step;
            if (piece == (step < 0 ? 'b' : 'w')) continue; // a man moves forward only
            if (sideOf(position[near]) == other(position[0]) && position[far] == 'e') {
                char[] next = position.clone();
                next[at] = next[near] = 'e';
                next[far] = piece;
                addMoves(next, from, far, captured + "x" + squareOf(near), moves);
            } else if (position[near] == 'e' && captured.isEmpty()) moves.add(squareOf(from) + "-" + squareOf(near));
        }
        boolean isEnd = moves.size() == before;
        if (isEnd && !captured.isEmpty()) moves.add(squareOf(from) + "x" + squareOf(at) + captured);
    }

    /** All legal moves: captures alone, if there are any. */
    static List<String> legalMoves(char[] position) {
        List<String> moves = new ArrayList<>();
        for (int cell = cellOf(1); cell <= cellOf(32); cell++)
            if (sideOf(position[cell]) == position[0]) addMoves(position, cell, cell, "", moves);
        List<String> captures = moves.stream().filter(move -> move.contains("x")).toList();
        return captures.isEmpty() ? moves : captures;
    }

    /** The position after a move. */
    static char[] play(char[] position, String move) {
        int[] cells = Arrays.stream(move.split("[-x]")).mapToInt(square -> cellOf(Integer.parseInt(square))).toArray();
        int from = cells[0], to = cells[1];
        char[] next = position.clone();
        char piece = next[from];
        next[from] = 'e';
        for (int i = 2; i < cells.length; i++) next[cells[i]] = 'e';
        next[to] = (piece == 'w' ? to <= cellOf(4) : to >= cellOf(29)) ? Character.toUpperCase(piece) : piece;
        next[0] = other(next[0]);
        return next;
    }

    /** What a position is worth to its side to move. */
    static int evaluate(char[] position) {
        int value = 0;
        for (int cell = cellOf(1); cell <= cellOf(32); cell++) {
            int worth = Character.isUpperCase(position[cell]) ? 150 : 100;
            if (sideOf(position[cell]) == position[0]) value += worth;
            if (sideOf(position[cell]) == other(position[0])) value -= worth;
        }
        return value;
    }

    /** The first of the moves after which the position is worth least to the other side. */
    static String choose(char[] position) {
        return Collections.min(legalMoves(position), Comparator.comparing(move -> evaluate(play(position, move))));
    }

    /** A position from the text of Hub: the side to move, then a letter for each square. */
    static char[] parse(String text) {
        char[] position = new char[46];
        for (int square = 1; square <= 32; square++) position[cellOf(square)] = text.charAt(square);
        position[0] = text.charAt(0);
        return position;
    }

    public static void main(String[] arguments) {
        char[] position = {};
        for (Scanner input = new Scanner(System.in); input.hasNextLine(); ) {
            String[] words = input.nextLine().split("[ =\"]+"); // such as pos, pos, BbbbeeWe..., moves, 1-5, 32-27
            if (words[0].equals("hub")) {
                System.out.println("id name=starter version=1.0 author=\"\" country=\"\"");
                System.out.println("param name=variant value=english type=enum values=english\nwait");
            } else if (words[0].equals("init")) System.out.println("ready");
            else if (words[0].equals("pos")) {
                position = parse(words[2]);
                for (int i = 4; i < words.length; i++) position = play(position, words[i]);
            } else if (words[0].equals("go")) System.out.println("done move=" + choose(position));
            else if (words[0].equals("ping")) System.out.println("pong");
            else if (words[0].equals("quit")) break;
        } // `new-game` and `level` need no answer; the words after `level` are the limit, such as depth, 6
    }
}
