package probe

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/probe/stamp"
	"github.com/weirnet/weir/probe/stamp/udp"
)

func newStamp() *cobra.Command {
	var s udp.Sender
	var f probeFlags
	cmd := &cobra.Command{
		Use:   "stamp HOST[:PORT]",
		Short: "Round trips to a STAMP reflector (RFC 8762)",
		Long: `It sends requests to a reflector, weir probe reflect or a router's, from this machine's own address, and
takes the time that the reflector had them off each round trip: no clocks need to agree. The kernel's
times are used; where it has none, the report says so. Forward and backward are told only where both
ends say that something keeps their clocks right.`,
		Example: `  weir probe stamp 192.0.2.2
  weir probe stamp 192.0.2.2:862 --count 100 --interval 100ms --size 1400 --csv stamp.csv`,
		Args: command.WantArgs(1, 1, "HOST[:PORT] of a reflector, such as 192.0.2.2:862"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if s.Target, err = stampTarget(args[0]); err != nil {
				return err
			}
			if err := cmp.Or(f.check(cmd), s.Check()); err != nil {
				return err
			}
			if err := f.place(); err != nil {
				return command.RuntimeError(err)
			}
			m, err := s.Run(cmd.Context())
			if err != nil {
				return command.RuntimeError(err)
			}
			r := s.Report(m)
			r.Build, r.Command = command.Build(), command.Line()
			return f.show(cmd, r, func(w io.Writer) error { return udp.WriteCSV(w, m.Samples) })
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&s.Count, "count", 20, "requests")
	fl.DurationVar(&s.Interval, "interval", 20*time.Millisecond, "from one request to the next")
	fl.IntVar(&s.Size, "size", stamp.Size, "bytes of a request and of its reply, without UDP's header")
	fl.Float64Var(&s.MaxLost, "max-loss", 0,
		"share of the requests that may be without an answer, or have one with impossible times, such as 0.05")
	fl.StringVar(&f.csv, "csv", "", "file for each round trip's times, in nanoseconds")
	f.out.AddFlags(fl)
	return cmd
}

// stampTarget is where a reflector listens: a port is that of STAMP if there is none.
func stampTarget(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), strconv.Itoa(stamp.Port)
		if _, ip := netip.ParseAddr(host); strings.Contains(host, ":") && ip != nil {
			host = ""
		}
	}
	if n, err := strconv.Atoi(port); host == "" || err != nil || n < 1 || n > 65535 {
		return "", fmt.Errorf("%q given, want HOST[:PORT] of a reflector, such as 192.0.2.2:862 or [2001:db8::2]:862", text)
	}
	return net.JoinHostPort(host, port), nil
}

func newReflect() *cobra.Command {
	var r udp.Reflector
	cmd := &cobra.Command{
		Use:   "reflect",
		Short: "A STAMP reflector (RFC 8762): answers weir probe stamp, and routers",
		Long: `It answers requests of STAMP senders, whoever they are, with when they came and when the reply leaves,
until it is interrupted. It keeps no state, and is of no use to those who attack others: a reply is as
long as its request, there are not more than --max-rate a second, and none for port 862 or its own,
where another reflector might answer for ever.`,
		Example: `  weir probe reflect
  weir probe reflect --listen 192.0.2.2:8620 --max-rate 1000`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := command.Positive(cmd.Flags()); err != nil {
				return err
			}
			if _, _, err := net.SplitHostPort(r.Listen); err != nil {
				return fmt.Errorf("--listen %s given, want HOST:PORT, such as :%d", r.Listen, stamp.Port)
			}
			note := command.Notes(cmd)
			r.Ready = func(at netip.AddrPort) { note("reflecting at %v", at) }
			c, err := r.Run(cmd.Context())
			if err != nil {
				return command.RuntimeError(privilegedPort(err, r.Listen))
			}
			note("reflected %d, %d of them without the kernel's time of the request; not answered: %d too short, %d from ports of "+
				"reflectors, %d above the rate, %d that could not be sent", c.Reflected, c.Untimed, c.Short, c.Looping, c.Above, c.Unsent)
			return nil
		},
	}
	cmd.Flags().StringVar(&r.Listen, "listen", fmt.Sprintf(":%d", stamp.Port), "where senders reach it, HOST:PORT")
	cmd.Flags().IntVar(&r.PerSecond, "max-rate", 10_000, "replies a second, at most")
	return cmd
}

// privilegedPort says what to do about a port that needs rights.
func privilegedPort(err error, listen string) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: run it with sudo, or choose another port than that of --listen %s", err, listen)
	}
	return err
}
