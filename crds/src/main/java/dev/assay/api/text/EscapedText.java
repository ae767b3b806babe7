package dev.assay.api.text;

import java.lang.Character.UnicodeScript;
import java.util.EnumSet;
import java.util.Set;

/**
 * Shows characters that a reader does not see as escapes: they can hide text from people that a
 * model reads, or show people another text than the model reads. Those that belong to what is seen
 * stay: joiners within words and emoji, and the presentation of an emoji. Pure.
 */
public final class EscapedText {
  /** How much longer a text may become; further invisible characters are left out. */
  static final int MAX_ADDED = 4_000;

  private static final int ZERO_WIDTH_NON_JOINER = 0x200C;
  private static final int ZERO_WIDTH_JOINER = 0x200D;
  private static final int SOFT_HYPHEN = 0xAD;
  private static final int KEYCAP = 0x20E3;

  /** Their words have no joiners. */
  private static final Set<UnicodeScript> WITHOUT_JOINERS =
      EnumSet.of(
          UnicodeScript.LATIN,
          UnicodeScript.GREEK,
          UnicodeScript.CYRILLIC,
          UnicodeScript.HAN,
          UnicodeScript.HIRAGANA,
          UnicodeScript.KATAKANA,
          UnicodeScript.HANGUL,
          UnicodeScript.COMMON);

  private EscapedText() {}

  /** The text with escapes such as {@code \u202e} and {@code \U000e0041}. */
  public static String of(String text) {
    int first = 0;
    while (first < text.length() && text.charAt(first) < SOFT_HYPHEN) {
      first++;
    }
    return first == text.length() ? text : escaped(text);
  }

  private static String escaped(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    int before = -1;
    int added = 0;
    for (int i = 0; i < text.length(); ) {
      int character = text.codePointAt(i);
      i += Character.charCount(character);
      int after = i < text.length() ? text.codePointAt(i) : -1;
      if (!isInvisible(character) || belongs(before, character, after)) {
        shown.appendCodePoint(character);
      } else if (added < MAX_ADDED) {
        String escape =
            character <= Character.MAX_VALUE
                ? "\\u%04x".formatted(character)
                : "\\U%08x".formatted(character);
        shown.append(escape);
        added += escape.length() - Character.charCount(character);
      }
      before = character;
    }
    return added == 0 && shown.length() == text.length() ? text : shown.toString();
  }

  private static boolean isInvisible(int character) {
    return VisibleText.isFiller(character)
        || isReserved(character)
        || (Character.getType(character) == Character.FORMAT && !isSeen(character));
  }

  /** Without a meaning so far, and not to be shown. */
  private static boolean isReserved(int character) {
    return (character >= 0xE0000 && character <= 0xE0FFF)
        || (character >= 0xFFF0 && character <= 0xFFF8)
        || character == 0x2065;
  }

  /** Signs that stand before numbers or under them. */
  private static boolean isSeen(int character) {
    return (character >= 0x0600 && character <= 0x0605)
        || switch (character) {
          case 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD -> true;
          default -> false;
        };
  }

  /** Whether an invisible character is part of what is seen between its neighbours. */
  private static boolean belongs(int before, int character, int after) {
    return switch (character) {
      case ZERO_WIDTH_JOINER ->
          isOfWord(before, after) || (isEmojiPart(before) && after >= 0 && isPicture(after));
      case ZERO_WIDTH_NON_JOINER -> isOfWord(before, after);
      case 0xFE0E, 0xFE0F -> before >= 0 && (isPicture(before) || after == KEYCAP);
      default ->
          character >= 0xE0100
              && character <= 0xE010F
              && before >= 0
              && Character.isIdeographic(before);
    };
  }

  private static boolean isOfWord(int before, int after) {
    return isLetter(before) && isLetter(after);
  }

  private static boolean isLetter(int character) {
    if (character < 0) {
      return false;
    }
    int type = Character.getType(character);
    return (Character.isLetter(character)
            || type == Character.NON_SPACING_MARK
            || type == Character.COMBINING_SPACING_MARK)
        && !WITHOUT_JOINERS.contains(UnicodeScript.of(character));
  }

  private static boolean isEmojiPart(int character) {
    return character == 0xFE0F
        || (character >= 0 && (isPicture(character) || Character.isEmojiModifier(character)));
  }

  private static boolean isPicture(int character) {
    return Character.isExtendedPictographic(character);
  }
}
