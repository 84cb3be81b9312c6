package netlab

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Adopt takes a namespace as a host whose interface something else has made.
func (l *Lab) Adopt(name, device, mac string, address netip.Addr) *Host {
	return &Host{lab: l, Name: name, Netns: "/run/netns/" + name, Dev: device, MAC: mac, IP4: address}
}

// Know has the host know another's address: no ARP goes before its packets.
func (h *Host) Know(other *Host) {
	h.lab.t.Helper()
	h.Run("ip", "neigh", "replace", other.IP4.String(), "lladdr", other.MAC, "dev", h.Dev, "nud", "permanent")
}

var roundTrip = regexp.MustCompile(`icmp_seq=(\d+) .*time=([0-9.]+) ms`)

// Echoes pings another host over IPv4, with so many bytes of ICMP payload, and says what both interfaces saw, by the kernel's own time
// stamps. Echoes that were lost are left out.
func (h *Host) Echoes(to *Host, count, payload int, interval time.Duration) []Echo {
	h.lab.t.Helper()
	mine, theirs := h.observe(), to.observe()
	args := []string{"-n", "-c", fmt.Sprint(count), "-i", fmt.Sprint(interval.Seconds()), "-W", "2", "-s", fmt.Sprint(payload), to.IP4.String()}
	out, _ := exec.Command("nsenter", h.in("ping", args)...).CombinedOutput()
	list := echoes(mine.end(), theirs.end(), h.IP4, to.IP4)
	said := map[int]time.Duration{}
	for _, m := range roundTrip.FindAllStringSubmatch(string(out), -1) {
		seq, _ := strconv.Atoi(m[1])
		ms, _ := strconv.ParseFloat(m[2], 64)
		said[seq] = time.Duration(ms * float64(time.Millisecond))
	}
	for i := range list {
		list[i].RTT = said[list[i].Seq]
	}
	return list
}

// observer keeps the echoes that go by an interface. It waits in Go's poller: in a system call it would keep others from running.
type observer struct {
	t    testing.TB
	file *os.File
	done sync.WaitGroup
	seen []sight // after done
}

// drain is how long an observer waits for one more frame at the end.
const drain = 20 * time.Millisecond

func (h *Host) observe() *observer {
	h.lab.t.Helper()
	s, err := h.raw()
	for _, option := range []struct{ name, value int }{{unix.SO_TIMESTAMPNS, 1}, {unix.SO_RCVBUFFORCE, 8 << 20}} {
		if err == nil {
			err = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, option.name, option.value)
		}
	}
	if err == nil {
		err = unix.SetNonblock(s.fd, true)
	}
	if err != nil {
		h.lab.t.Fatal(err)
	}
	o := &observer{t: h.lab.t, file: os.NewFile(uintptr(s.fd), h.Name)}
	o.done.Go(o.run)
	return o
}

// run reads until the end, of which the file's deadline tells.
func (o *observer) run() {
	defer o.file.Close()
	raw, err := o.file.SyscallConn()
	if err != nil {
		o.t.Error(err)
		return
	}
	frame, oob := make([]byte, ethernetHeader+64), make([]byte, 64)
	for err == nil {
		err = raw.Read(func(fd uintptr) bool {
			n, oobn, _, _, err := unix.Recvmsg(int(fd), frame, oob, 0)
			if err == unix.EAGAIN {
				return false
			}
			if s, ok := see(stamp(oob[:oobn]), frame[:max(n, 0)]); err == nil && ok {
				o.seen = append(o.seen, s)
			}
			return true
		})
	}
}

// stamp is the time that the kernel gives a frame: a struct timespec.
func stamp(oob []byte) time.Time {
	list, _ := unix.ParseSocketControlMessage(oob)
	for _, m := range list {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Time{}
}

func (o *observer) end() []sight {
	if err := o.file.SetReadDeadline(time.Now().Add(drain)); err != nil {
		o.t.Error(err)
	}
	o.done.Wait()
	return o.seen
}
