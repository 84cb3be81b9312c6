package probe

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/nic"
)

// observerPort is where an observer listens if nothing else is said.
const observerPort = "8620"

// observerForm is how the far end at another machine is written, for help.
const observerForm = "observer=HOST:PORT"

func newObserve() *cobra.Command {
	var at, key string
	var o campaign.Observer
	stamps := nic.Software.String()
	cmd := &cobra.Command{
		Use:   "observe",
		Short: "The far end of a measurement whose near end is at another machine",
		Long: `It opens one interface, puts a station there, and does what the near side asks over a TCP connection,
for one measurement at a time, until it is interrupted: weir probe latency --to observer=HOST:PORT.
Who can connect can have it send frames by the interface. So it listens on this machine alone, if
nothing else is said, and elsewhere only with a --key: a file that the near side has to have too.
What is said is not encrypted.`,
		Example: `  head -c 32 /dev/urandom | base64 > probe.key
  weir probe observe --at eth2 --listen 192.0.2.2:8620 --key probe.key
  weir probe latency --from eth1 --to observer=192.0.2.2:8620 --key probe.key   # at the other machine`,
		Args: command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if at == "" {
				return errors.New("no --at given, want the interface, such as --at eth2")
			}
			asIs := o.At.AsIs
			if o.At, err = nic.Parse(at); err != nil {
				return fmt.Errorf("--at: %w", err)
			}
			o.At.AsIs = asIs
			if o.At.Stamps, err = nic.ParseStamps(stamps); err != nil {
				return fmt.Errorf("--stamps: %w", err)
			}
			if o.Key, err = readKey(key); err != nil {
				return err
			}
			if err := checkListen(o.Listen, o.Key); err != nil {
				return err
			}
			o.Build, o.Note = command.Build(), command.Notes(cmd)
			return command.RuntimeError(o.Run(cmd.Context()))
		},
	}
	f := cmd.Flags()
	f.StringVar(&at, "at", "", nic.Form+": the interface at the far end")
	f.StringVar(&o.Listen, "listen", "127.0.0.1:"+observerPort, "where the near side connects, HOST:PORT")
	f.Var(command.Enum(&stamps, nic.Software.String(), nic.Hardware.String(), nic.Best.String()), "stamps",
		"who takes the times, the same as at the near side")
	f.BoolVar(&o.At.AsIs, "keep-offloads", false, "leave the interface's offloads as they are; frames that are merged are refused")
	keyFlag(f, &key)
	return cmd
}

func keyFlag(f *pflag.FlagSet, key *string) {
	f.StringVar(key, "key", "", "file with the key that both machines have, of 16 bytes or more")
}

// readKey reads a key, without the white space around it; nil without a file.
func readKey(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--key: %w", err)
	}
	key := bytes.TrimSpace(text)
	if len(key) < 16 || len(key) > 4096 {
		return nil, fmt.Errorf("--key: %s has %d bytes, want 16 to 4096, such as those of head -c 32 /dev/urandom | base64", file, len(key))
	}
	return key, nil
}

// checkListen refuses an address that others reach, where no key keeps them out.
func checkListen(address string, key []byte) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s given, want HOST:PORT, such as 127.0.0.1:%s", address, observerPort)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() || key != nil {
		return nil
	}
	return fmt.Errorf("--listen %s given without --key: others than this machine's reach it. "+
		"Want a file with a key that the near side has too, such as one by head -c 32 /dev/urandom | base64", address)
}

// observerAt is the address of an observer that --to names; ok is false where it names an interface.
func observerAt(to string) (address string, ok bool, err error) {
	if address, ok = strings.CutPrefix(to, "observer="); !ok {
		return "", false, nil
	}
	if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
		return "", true, fmt.Errorf("--to %s given, want %s, such as observer=192.0.2.2:%s", to, observerForm, observerPort)
	}
	return address, true, nil
}
