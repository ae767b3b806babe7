package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BubblewrapTest {
  private static final List<Mount> MOUNTS =
      List.of(
          new Mount.Bind("/usr", Path.of("/usr"), false),
          new Mount.Link("/bin", "usr/bin"),
          new Mount.Memory("/tmp", 1024),
          new Mount.Bind("/scratch", Path.of("/p/scratch"), true));

  @Test
  void nothingIsSharedButWhatIsMounted() {
    assertThat(String.join(" ", command(false)))
        .isEqualTo(
            "/usr/bin/bwrap --unshare-all --unshare-user --disable-userns --die-with-parent"
                + " --new-session --as-pid-1 --cap-drop ALL --uid 65532 --gid 65532 --ro-bind /usr /usr"
                + " --symlink usr/bin /bin --perms 1777 --size 1024 --tmpfs /tmp"
                + " --bind /p/scratch /scratch --proc /proc --dev /dev"
                + " --perms 1777 --size 67108864 --tmpfs /dev/shm --remount-ro /dev --remount-ro /"
                + " --chdir /scratch -- python3 -V");
  }

  @Test
  void aContainerThatIsDialledSharesTheNetwork() {
    assertThat(command(true)).contains("--unshare-all", "--share-net");
  }

  private static List<String> command(boolean network) {
    ContainerSpec spec =
        new ContainerSpec(
            List.of("python3", "-V"),
            Map.of(),
            "/scratch",
            List.of(),
            List.of(),
            network,
            new ContainerSpec.User(65532, 65532, List.of()),
            OptionalLong.empty(),
            Path.of("/own"));
    return Bubblewrap.command(Path.of("/usr/bin/bwrap"), spec, MOUNTS);
  }
}
