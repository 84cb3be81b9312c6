package node

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/store"
)

// Config is how an instance is set up. Begin with Defaults: a field that must not be empty is
// refused when it is.
type Config struct {
	Name     string // of the instance
	DataDir  string // tokens, the store, what is remembered; one process a directory
	Store    string // what holds the inputs: StoreEmbedded, StoreMemory, or URLs of an etcd with commas between them
	OpenFlow string // address that switches connect to
	API      string // address of the REST interface
	// Auth is "token" or "none" (on loopback only).
	Auth string
	// Insecure allows the API off loopback without TLS.
	Insecure bool
	// APITLSCert and APITLSKey are files; both or neither.
	APITLSCert, APITLSKey string
	// OpenFlowTLSCert, OpenFlowTLSKey and OpenFlowTLSCA are files; all or none. With them switches
	// speak TLS, and show a certificate that an authority of the third has signed and that names
	// their datapath id.
	OpenFlowTLSCert, OpenFlowTLSKey, OpenFlowTLSCA string
	// OpenFlowTLSUnnamed takes certificates that name no datapath id as well.
	OpenFlowTLSUnnamed bool
	// APIHosts are further names under which the API may be called (the Host header).
	APIHosts []string
	// Domain is the number of this Weir in cookies, 1 to 4095.
	Domain uint16
	// DisableApps are built-in applications that are not to run.
	DisableApps []string
	// ForwardUnknown is what happens to a unicast packet that no rule matches.
	ForwardUnknown forward.Unknown
	// LLDPPeriod is how often each port is probed.
	LLDPPeriod time.Duration
	// EchoInterval and EchoMisses are the time between two echo requests to a switch, and how many
	// in a row it may leave unanswered; 0 is the default.
	EchoInterval time.Duration
	EchoMisses   int
	// Counters is how often switches are asked for their counters.
	Counters Counters

	// Limits bound what clients and strangers can cost; a zero field means its default.
	Limits config.Limits
	// ConfigFile is a configuration file, docs/config.md; empty for none. What the fields above say
	// holds over it: those that differ from Defaults, and those whose flags are named in Given
	// ("api", "lldp-period").
	ConfigFile string
	Given      map[string]bool
	// Reload, if set, has ConfigFile read again whenever something comes.
	Reload <-chan os.Signal

	Log *slog.Logger // nil for none
	// Pipes, if set, is a second listener for switches: of those in the same process (package
	// session/pipe). What holds for other switches holds for them. The instance closes it.
	Pipes net.Listener
	// OpenStore, if set, opens the store instead of what Store says. The instance closes it.
	OpenStore func() (store.Store, error)
	// SharedStore says that other instances may use what OpenStore opens: one of them owns it, and
	// the others stand by.
	SharedStore bool
	// HangAfter is how long a part may do nothing, though it is asked to, before /healthz fails
	// with its name; 0: a minute.
	HangAfter time.Duration
	// View, if set, is called once with the network view before anything runs, for what reads it in
	// the same process.
	View func(*netview.View)
	// Intents, if set, is called once with the intents before anything runs, for what asks for some
	// in the same process.
	Intents func(*intent.Engine)
	// Ready, if set, is called once with the addresses when everything listens.
	Ready func(Addresses)

	Version, Commit string // of the program
}

// Addresses are where an instance listens, and how it is to be called.
type Addresses struct {
	OpenFlow, API       string
	OpenFlowTLS, APITLS bool
	Open                bool   // no token is needed
	Name                string // of the instance
}

// Defaults are the values of contract: everything on loopback.
func Defaults() Config {
	return Config{
		Name: "weir-1", DataDir: "./weir-data", Store: StoreEmbedded, OpenFlow: "127.0.0.1:6653",
		API: "127.0.0.1:8181", Auth: "token",
		Domain: 1, ForwardUnknown: forward.UnknownController, LLDPPeriod: 2 * time.Second,
	}
}

// check finds what is wrong with a configuration, before anything is opened.
func (c *Config) check() error {
	if err := c.checkFields(); err != nil {
		return err
	}
	return api.CheckExposure(api.Exposure{
		Listen: c.API, TLS: c.APITLSCert != "", Insecure: c.Insecure, Open: c.Auth == "none",
	})
}

// checkFields finds what is wrong with single fields.
func (c *Config) checkFields() error {
	if c.Name == "" || c.DataDir == "" {
		return errors.New("--name and --data-dir: want a name and a directory, not nothing")
	}
	if err := checkAddress("--openflow", c.OpenFlow, "127.0.0.1:6653"); err != nil {
		return err
	}
	if err := checkAddress("--api", c.API, "127.0.0.1:8181"); err != nil {
		return err
	}
	if c.Auth != "token" && c.Auth != "none" {
		return fmt.Errorf("--auth=%s: want token, or none (on loopback only)", c.Auth)
	}
	if (c.APITLSCert == "") != (c.APITLSKey == "") {
		return errors.New("--api-tls-cert and --api-tls-key: give both or neither")
	}
	if err := c.checkStore(); err != nil {
		return err
	}
	if err := c.checkSwitchTLS(); err != nil {
		return err
	}
	if c.Domain == 0 || c.Domain > plan.DomainMax {
		return fmt.Errorf("--domain=%d: want 1 to %d", c.Domain, plan.DomainMax)
	}
	if c.ForwardUnknown != forward.UnknownController && c.ForwardUnknown != forward.UnknownFlood {
		return fmt.Errorf("--forward-unknown=%s: want controller or flood", c.ForwardUnknown)
	}
	if c.LLDPPeriod < 100*time.Millisecond || c.LLDPPeriod > time.Minute {
		return fmt.Errorf("--lldp-period=%s: want 100ms to 1m", c.LLDPPeriod)
	}
	if err := c.Counters.check(); err != nil {
		return err
	}
	for _, app := range c.DisableApps {
		if !slices.Contains(Apps, app) {
			return fmt.Errorf("--disable-app=%s: there is no such application; there are: %s", app, strings.Join(Apps, ", "))
		}
	}
	return nil
}

// checkAddress wants HOST:PORT with a numeric port.
func checkAddress(flag, address, example string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: want HOST:PORT, such as %s", flag, address, example)
	}
	return nil
}

// storeAnswer is how long a request waits for the store.
func (c *Config) storeAnswer() time.Duration {
	return cmp.Or(c.Limits.StoreAnswer, api.DefaultLimits.StoreAnswer)
}
