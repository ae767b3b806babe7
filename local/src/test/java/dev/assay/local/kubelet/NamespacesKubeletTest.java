package dev.assay.local.kubelet;

import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.Needs;
import org.junit.jupiter.api.Tag;

/** Containers in namespaces that the helper makes. */
@Tag("slow")
@Needs(Isolation.NAMESPACES)
class NamespacesKubeletTest extends IsolatedKubeletContract {
  NamespacesKubeletTest() {
    super(Isolation.NAMESPACES);
  }
}
