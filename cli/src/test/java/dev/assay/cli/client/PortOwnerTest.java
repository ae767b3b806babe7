package dev.assay.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PortOwnerTest {
  /** Port 8787 is 2253 in hexadecimal. */
  private static final String TABLE =
      """
        sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
         0: 0100007F:2253 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0
         1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 4712 1 0 100 0
         2: 0100007F:C350 0100007F:2253 01 00000000:00000000 00:00000000 00000000  1002        0 4713 1 0 20 4
         3: 0100007F:2253 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1002        0 4714 1 0 20 4
      """;

  private static final String TABLE_OF_IPV6 =
      """
         0: 00000000000000000000000001000000:2253 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 4715 1 0 100 0
      """;

  @Test
  void theOwnerIsThatOfTheSocketThatListens() {
    assertThat(owner(8787, "1000", TABLE)).isEqualTo(PortOwner.THIS_USER);
    assertThat(owner(8787, "1002", TABLE)).isEqualTo(PortOwner.ANOTHER_USER);
    assertThat(owner(8080, "1000", TABLE)).isEqualTo(PortOwner.ANOTHER_USER);
    assertThat(owner(50_000, "1002", TABLE)).isEqualTo(PortOwner.NOBODY);
  }

  @Test
  void aPortThatTwoUsersShareIsNotThisUsers() {
    assertThat(owner(8787, "1000", TABLE + TABLE_OF_IPV6)).isEqualTo(PortOwner.ANOTHER_USER);
    assertThat(owner(8787, "1003", TABLE_OF_IPV6)).isEqualTo(PortOwner.THIS_USER);
  }

  @Test
  void aLineOfAnotherFormIsIgnored() {
    assertThat(owner(8787, "1000", "\n0: x\n")).isEqualTo(PortOwner.NOBODY);
  }

  @Test
  void aSocketOfThisProcessIsThisUsersWhereTheSystemTells() throws Exception {
    boolean tells = Files.exists(Path.of("/proc/net/tcp"));
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(PortOwner.of(socket.getLocalPort()))
          .isEqualTo(tells ? PortOwner.THIS_USER : PortOwner.UNKNOWN);
    }
  }

  private static PortOwner owner(int port, String user, String table) {
    return PortOwner.of(port, user, table.lines());
  }
}
