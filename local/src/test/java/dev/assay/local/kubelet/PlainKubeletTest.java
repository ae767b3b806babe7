package dev.assay.local.kubelet;

import dev.assay.local.isolation.Isolation;

/** Containers that share all with this machine. */
class PlainKubeletTest extends KubeletContract {
  PlainKubeletTest() {
    super(Isolation.NONE);
  }

  @Override
  String sharedDirectory() {
    return "os.path.dirname(os.environ['ASSAY_SOCKET'])";
  }
}
