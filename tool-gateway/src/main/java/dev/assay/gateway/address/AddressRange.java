package dev.assay.gateway.address;

import java.net.InetAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A range of IP addresses, such as {@code 10.0.0.0/8}.
 *
 * @param first its first address
 * @param bits how many leading bits all its addresses have in common
 */
public record AddressRange(InetAddress first, int bits) {
  private static final Pattern FORM = Pattern.compile("([0-9a-fA-F:.]+)(?:/([0-9]{1,3}))?");

  /**
   * Reads a range, or an address as a range of one.
   *
   * @throws IllegalArgumentException if the text is neither
   */
  public static AddressRange parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException("not a range of IP addresses: " + text);
    }
    InetAddress first = InetAddress.ofLiteral(form.group(1));
    int width = first.getAddress().length * Byte.SIZE;
    int bits = form.group(2) == null ? width : Integer.parseInt(form.group(2));
    if (bits > width) {
      throw new IllegalArgumentException("not a range of IP addresses: " + text);
    }
    return new AddressRange(first, bits);
  }

  boolean contains(InetAddress address) {
    byte[] wanted = first.getAddress();
    byte[] actual = address.getAddress();
    if (wanted.length != actual.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> (bit % Byte.SIZE);
      if ((wanted[bit / Byte.SIZE] & mask) != (actual[bit / Byte.SIZE] & mask)) {
        return false;
      }
    }
    return true;
  }
}
