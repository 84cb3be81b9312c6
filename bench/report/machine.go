package report

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Machine is what the figures were taken on.
type Machine struct {
	Cores   int    `json:"cores"`
	CPU     string `json:"cpu"`
	Kernel  string `json:"kernel"`
	Go      string `json:"go"`
	LoadAvg string `json:"load_average"` // at the start: 1, 5, 15 minutes
	Date    string `json:"date"`
}

// String names what figures depend on.
func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, Linux %s, %s, %s, load average %s", m.CPU, m.Cores, m.Kernel, m.Go, m.Date, m.LoadAvg)
}

// ThisMachine describes the machine as far as Linux tells.
func ThisMachine() Machine {
	m := Machine{Cores: runtime.NumCPU(), Go: runtime.Version(), Date: time.Now().Format(time.DateOnly),
		Kernel: firstLine("/proc/sys/kernel/osrelease"), CPU: runtime.GOARCH}
	if f := strings.Fields(firstLine("/proc/loadavg")); len(f) >= 3 {
		m.LoadAvg = strings.Join(f[:3], " ")
	}
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			m.CPU = strings.Trim(name, " \t:\n")
			break
		}
	}
	return m
}

// firstLine is that of a file; "" if it cannot be read.
func firstLine(path string) string {
	b, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}
