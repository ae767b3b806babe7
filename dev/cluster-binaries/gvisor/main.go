// Command containerd-shim-runsc-v1 is gVisor's shim for containerd with a "start" command of its
// own. The original answers in a form that containerd 1.6 does not know, and fails on machines
// without CAP_SYS_RESOURCE, since it lowers its oom_score_adj.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/containerd/containerd/v2/pkg/shim"
	runsc "gvisor.dev/gvisor/pkg/shim/v1"
	_ "gvisor.dev/gvisor/pkg/shim/v1/plugin"
)

type manager struct{ shim.Manager }

func (manager) Start(ctx context.Context, id string, options shim.StartOpts) (shim.BootstrapParams, error) {
	address, err := start(ctx, id, options)
	if err == nil {
		fmt.Print(address)
		// Otherwise the caller prints a JSON object.
		os.Exit(0)
	}
	return shim.BootstrapParams{}, err
}

// start has this program serve in the background, and returns the address of its socket.
func start(ctx context.Context, id string, options shim.StartOpts) (string, error) {
	namespace, err := namespaces.NamespaceRequired(ctx)
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	address, err := shim.SocketAddress(ctx, options.Address, id, options.Debug)
	if err != nil {
		return "", err
	}
	socket, err := shim.NewSocket(address)
	if err != nil {
		return "", err
	}
	file, err := socket.File()
	if err != nil {
		return "", err
	}
	server := exec.Command(self, "-namespace", namespace, "-address", options.Address, "-id", id)
	server.ExtraFiles = []*os.File{file}
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// containerd reads it when it is started again. The working directory is the bundle.
	if err := os.WriteFile("address", []byte(address), 0o644); err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	return address, shim.WritePidFile("shim.pid", server.Process.Pid)
}

func main() {
	shim.Run(context.Background(), manager{runsc.NewShimManager("io.containerd.runsc.v1")})
}
