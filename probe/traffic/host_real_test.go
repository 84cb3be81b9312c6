//go:build real && linux

package traffic_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/traffic"
)

// at is a host at an interface of the lab's.
func at(device string) traffic.HostConfig {
	return traffic.HostConfig{Interface: nic.Config{Interface: device}, MAC: packet.MAC{2, 0, 0, 0, 0, 9},
		Address: packet.AddrFrom4([4]byte{198, 18, 0, 9})}
}

// TestNoHost: where there can be no host, the reason says why and what to do.
func TestNoHost(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		l.Run("ip", "link", "add", "name", "br", "type", "bridge")
		l.Run("ip", "link", "add", "name", "v0", "type", "veth", "peer", "name", "v1")
		l.Run("ip", "link", "set", "dev", "v1", "master", "br")
		h, err := traffic.NewHost(at("v0"))
		if err != nil {
			t.Fatal(err)
		}
		for device, want := range map[string]error{"v0": probe.ErrHost, "v1": probe.ErrHost, "nothing": probe.ErrNoInterface} {
			if _, err := traffic.NewHost(at(device)); !errors.Is(err, want) || !strings.Contains(err.Error(), ", want ") {
				t.Errorf("%s: %v, want %v", device, err, want)
			}
		}
		h.Close()
		again, err := traffic.NewHost(at("v0"))
		if err != nil {
			t.Fatalf("after its end: %v", err)
		}
		again.Close()
	})
}

// self is this program.
const self = "/proc/self/exe"

// TestHostEndsWithItsProcess, also by kill -9: another one may have its address then.
func TestHostEndsWithItsProcess(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		l.Run("ip", "link", "add", "name", "v0", "type", "veth", "peer", "name", "v1")
		cmd := exec.Command(self, "-test.run=^TestHostToBeKilled$")
		cmd.Env = append(os.Environ(), "TRAFFIC_HOST=v0")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		if _, err := traffic.NewHost(at("v0")); !errors.Is(err, probe.ErrHost) {
			t.Errorf("beside one that lives: %v", err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		h, err := traffic.NewHost(at("v0"))
		if err != nil {
			t.Fatal(err)
		}
		h.Close()
	})
}

// TestHostToBeKilled runs in a process that TestHostEndsWithItsProcess starts.
func TestHostToBeKilled(t *testing.T) {
	device := os.Getenv("TRAFFIC_HOST")
	if device == "" {
		return
	}
	if _, err := traffic.NewHost(at(device)); err != nil {
		t.Fatal(err)
	}
	fmt.Println("open")
	time.Sleep(time.Minute)
}
