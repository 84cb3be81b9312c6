//go:build real

package netlab

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// TestAttach has weir up make devices at emulated ports: namespaces with a TAP device and with a
// veth device are hosts of the emulated network, beside an emulated one. Fragments pass, a stream
// passes, carrier and port follow each other. When the process is killed, nothing is left.
func TestAttach(t *testing.T) {
	t.Parallel()
	need.Program(t, "ping")
	Inside(t, func(t *testing.T, l *Lab) {
		l.Run("ip", "netns", "add", "h101")
		l.Run("ip", "netns", "add", "h102")
		weir := l.Start(BuiltWeir(t), "up", "linear:3", "--plain", "--auth=none", "--data-dir", filepath.Join(l.dir, "up"),
			"--attach", "s1=eth0,netns=h101,address=10.0.0.101/8", "--attach",
			"s3:7=eth0,netns=h102,address=10.0.0.102/8,type=veth")
		answers := func(from, to string, size int) bool {
			out, _ := exec.Command("ip", "netns", "exec", from, "ping", "-n", "-q", "-c", "3", "-i", "0.1", "-W",
				"1", "-s", fmt.Sprint(size), to).Output()
			return strings.Contains(string(out), " 3 received")
		}
		for _, c := range []struct {
			to   string
			size int
		}{{"10.0.0.2", 1000}, {"10.0.0.102", 56}, {"10.0.0.102", 10000}, {"10.0.0.102", 65000}} {
			l.Eventually(20*time.Second, fmt.Sprintf("three answers in turn of %s to %d bytes", c.to, c.size),
				func() bool { return answers("h101", c.to, c.size) })
		}
		shows := func(what, want string) func() bool {
			return func() bool { return strings.Contains(emulated(t, http.MethodGet, what, ""), want) }
		}
		if !shows("/v1/links/eth0-s3", `"a":{"device":"eth0"},"b":{"switch":"s3","dpid":"0000000000000003","port":7}`)() {
			t.Error(emulated(t, http.MethodGet, "/v1/links/eth0-s3", ""))
		}
		l.Run("ip", "-n", "h101", "link", "set", "eth0", "down")
		l.Eventually(20*time.Second, "the port has no carrier", shows("/v1/links/eth0-s1", `"up":false,"cut":false`))
		l.Run("ip", "-n", "h101", "link", "set", "eth0", "up")
		l.Eventually(20*time.Second, "the port has a carrier again", shows("/v1/links/eth0-s1", `"up":true`))
		for _, up := range []bool{false, true} {
			emulated(t, http.MethodPatch, "/v1/ports/s3/7", fmt.Sprintf(`{"up":%v}`, up))
			l.Eventually(20*time.Second, fmt.Sprintf("the device's carrier: %v", up), func() bool {
				return strings.Contains(l.Run("ip", "-n", "h102", "link", "show", "eth0"), ",LOWER_UP") == up
			})
		}
		l.Eventually(20*time.Second, "answers after all that", func() bool { return answers("h102", "10.0.0.101", 56) })
		weir.Kill()
		l.Eventually(20*time.Second, "nothing is left", func() bool {
			return !strings.Contains(l.Run("ip", "-n", "h101", "link")+l.Run("ip", "-n", "h102", "link"), "eth0")
		})
	})
}

// emulated asks the interface of the emulated network; the answer is empty while there is none.
func emulated(t *testing.T, method, path, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, "http://127.0.0.1:8182"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}
