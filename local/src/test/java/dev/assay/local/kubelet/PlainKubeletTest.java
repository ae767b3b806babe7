package dev.assay.local.kubelet;

import dev.assay.local.isolation.Isolation;
import org.junit.jupiter.api.Tag;

/** Containers that share all with this machine. */
@Tag("slow")
class PlainKubeletTest extends KubeletContract {
  PlainKubeletTest() {
    super(Isolation.NONE);
  }

  @Override
  String sharedDirectory() {
    return "os.path.dirname(os.environ['ASSAY_SOCKET'])";
  }
}
