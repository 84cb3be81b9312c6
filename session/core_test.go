package session

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/openflow"
)

func TestConversations(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, path string) {
		talk := &conversation{now: time.Unix(1000, 0), roles: &Roles{}}
		golden.Run(t, path, talk.do)
	})
}

// conversation steps cores by commands of a file:
//
//	controller|switch [versions=1.0,1.3] [role=master,GENERATION] [echo=off] [admit=ask] [name=NAME]
//	                              a new core, started
//	recv NAME [key=value …]       a message comes (see message), or "recv hex BYTES"
//	wait DURATION                 time passes; the core is stepped at each deadline
//	request NAME [key=value …]    a request of ours
//	forget XID                    a request is given up
//	admit [in-use|no]             admits or refuses a switch (by itself after it is identified, unless "admit=ask")
//	check-alive                   another connection wants the datapath id
//	waiting on|off                bytes wait for the peer, who takes none of them; or none wait
//	with NAME                     go on with another core of the file
//
// What the core sends is printed after "->", what it delivers after the name of the event.
type conversation struct {
	now   time.Time
	cores map[string]*Core
	core  *Core
	roles *Roles
	read  uint64
	stuck bool // bytes wait for the peer
	ask   bool // the admission is a command's
	ended bool
	out   strings.Builder
}

func (c *conversation) do(t *testing.T, cmd *golden.Command) string {
	c.out.Reset()
	switch cmd.Name {
	case "controller", "switch":
		c.start(cmd)
	case "with":
		c.core = c.cores[cmd.Args[0]]
	case "recv":
		for range number(cmd.Arg("times", "1")) {
			frame := c.message(t, cmd.Args[0], cmd)
			c.read += uint64(len(frame))
			c.print(c.core.Step(Input{Frame: frame, Read: c.read}, c.now))
		}
	case "wait":
		c.wait(t, cmd.Args[0])
	case "request":
		c.request(t, cmd)
	case "admit":
		admission := &Admission{}
		if len(cmd.Args) > 0 {
			admission.Err = map[string]error{"in-use": ErrInUse, "no": ErrNotAdmitted}[cmd.Args[0]]
		}
		c.print(c.core.Step(Input{Admission: admission}, c.now))
	case "check-alive":
		c.print(c.core.Step(Input{CheckAlive: true}, c.now))
	case "waiting":
		c.stuck = cmd.Args[0] == "on"
	case "forget":
		c.core.Forget(uint32(number(cmd.Args[0])))
	default:
		t.Fatalf("%s:%d: no command %s", cmd.File, cmd.Line, cmd.Name)
	}
	return c.out.String()
}

func (c *conversation) start(cmd *golden.Command) {
	cfg := Config{}
	for v := range strings.SplitSeq(cmd.Arg("versions", "1.0,1.3"), ",") {
		cfg.Versions = append(cfg.Versions, map[string]openflow.Version{"1.0": openflow.V10, "1.3": openflow.V13}[v])
	}
	if role, generation, ok := strings.Cut(cmd.Arg("role", ""), ","); ok {
		cfg.Role = func(uint64) (openflow.RoleRequest, bool) {
			return openflow.RoleRequest{Role: roleByName[role], Generation: number(generation)}, true
		}
	}
	if cmd.Arg("echo", "") == "off" {
		cfg.EchoInterval = -1
	}
	c.ask = cmd.Arg("admit", "") == "ask"
	cfg = cfg.withDefaults()
	end, roles := ControllerEnd, (*Roles)(nil)
	if cmd.Name == "switch" {
		end, roles = SwitchEnd, c.roles
	}
	c.core, c.ended = NewCore(end, &cfg, roles), false
	if c.cores == nil {
		c.cores = make(map[string]*Core)
	}
	c.cores[cmd.Arg("name", "")] = c.core
	c.print(c.core.Start(c.now))
}

var roleByName = map[string]openflow.Role{"nochange": openflow.RoleNoChange, "equal": openflow.RoleEqual,
	"master": openflow.RoleMaster, "slave": openflow.RoleSlave}

// wait passes time in steps of the core's deadlines, as the ticker does.
func (c *conversation) wait(t *testing.T, duration string) {
	d, err := time.ParseDuration(duration)
	if err != nil {
		t.Fatal(err)
	}
	until := c.now.Add(d)
	for {
		next := c.core.nextDeadline()
		if next.IsZero() || next.After(until) {
			break
		}
		c.now = next
		fmt.Fprintf(&c.out, "at %s\n", c.now.Sub(time.Unix(1000, 0)))
		c.print(c.core.Step(Input{Read: c.read, Waiting: c.stuck}, c.now))
	}
	c.now = until
}

func (c *conversation) request(t *testing.T, cmd *golden.Command) {
	frame := c.message(t, cmd.Args[0], cmd)
	h, m, err := openflow.Parse(frame)
	if err != nil {
		t.Fatal(err)
	}
	h.XID = c.core.NextXID()
	err = c.core.Expect(h.XID, m.Type(), c.now, func(m openflow.Message, err error) {
		if err != nil {
			fmt.Fprintf(&c.out, "answer to %#x: error: %v\n", h.XID, err)
			return
		}
		fmt.Fprintf(&c.out, "answer to %#x: %s\n", h.XID,
			strings.TrimSpace(string(m.AppendText([]byte(m.Type().String()), h.Version))))
	})
	if err != nil {
		fmt.Fprintf(&c.out, "refused: %v\n", err)
		return
	}
	fmt.Fprintf(&c.out, "-> %s\n", openflow.Text(h, m))
}

// print writes down what a step wants done.
func (c *conversation) print(r Ready) {
	for b := r.Send; len(b) >= openflow.HeaderLen; {
		n := int(b[2])<<8 | int(b[3])
		h, m, err := openflow.Parse(b[:n])
		if err != nil {
			fmt.Fprintf(&c.out, "-> %x: %v\n", b[:n], err)
		} else {
			fmt.Fprintf(&c.out, "-> %s\n", openflow.Text(h, m))
		}
		b = b[n:]
	}
	identified := false
	for _, e := range r.Events {
		identified = identified || e.Kind == EventIdentified
		c.printEvent(e)
	}
	if identified && !c.ask {
		c.print(c.core.Step(Input{Admission: &Admission{}}, c.now))
	}
	if r.Close != nil && !c.ended {
		c.ended = true
		fmt.Fprintf(&c.out, "close: %v\n", r.Close)
		c.print(c.core.End(r.Close))
	}
}

func (c *conversation) printEvent(e Event) {
	switch e.Kind {
	case EventConnected:
		fmt.Fprintf(&c.out, "connected: OpenFlow %s", c.core.out.version)
		if f := c.core.handshake.features; c.core.end == ControllerEnd {
			fmt.Fprintf(&c.out, ", datapath %#x, %d tables, ports %d, description %q, role %s, role error %v",
				f.Datapath, f.Tables,
				len(f.Ports), f.Desc.Datapath, c.core.Role(), f.RoleError)
		}
		c.out.WriteString("\n")
	case EventFeatures:
		fmt.Fprintf(&c.out, "asked for features by %#x\n", e.Header.XID)
	case EventIdentified:
		if c.ask {
			fmt.Fprintf(&c.out, "identified: datapath %#x\n", c.core.handshake.features.Datapath)
		}
	case EventAlive:
		c.out.WriteString("alive\n")
	case EventMessage:
		fmt.Fprintf(&c.out, "message: %s\n", openflow.Text(e.Header, e.Message))
	case EventAnswer:
		e.answer(e.Message, e.err)
	}
}

func number(s string) uint64 {
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// message makes the bytes of a message by its name and arguments, in the version agreed on or that
// of "version=".
func (c *conversation) message(t *testing.T, name string, cmd *golden.Command) []byte {
	if name == "hex" {
		b, err := hex.DecodeString(strings.Join(cmd.Args[1:], ""))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	v := c.core.out.version
	if s := cmd.Arg("version", ""); s != "" {
		minor, _ := strconv.Atoi(strings.TrimPrefix(s, "1."))
		v = openflow.Version(minor + 1)
	}
	m := messageByName(name, cmd)
	if m == nil {
		t.Fatalf("%s:%d: no message %s", cmd.File, cmd.Line, name)
	}
	b, err := openflow.Append(nil, v, uint32(number(cmd.Arg("xid", "0"))), m)
	if err != nil {
		t.Fatalf("%s:%d: %v", cmd.File, cmd.Line, err)
	}
	return b
}

func messageByName(name string, cmd *golden.Command) openflow.Message {
	arg := func(key string) uint64 { return number(cmd.Arg(key, "0")) }
	flags := openflow.MultipartFlags(arg("more"))
	switch name {
	case "hello":
		return &openflow.Hello{Versions: uint32(arg("bitmap"))}
	case "error":
		return &openflow.ErrorMsg{Code: openflow.ErrorCode(arg("code")), Data: []byte("12345678")}
	case "echo_request":
		return &openflow.EchoRequest{Data: []byte(cmd.Arg("data", ""))}
	case "echo_reply":
		return &openflow.EchoReply{}
	case "features_request":
		return &openflow.FeaturesRequest{}
	case "features_reply":
		return &openflow.FeaturesReply{DatapathID: arg("dpid"), Tables: 1, Auxiliary: uint8(arg("aux")),
			Ports: ports(arg("ports"))}
	case "get_config_request":
		return &openflow.GetConfigRequest{}
	case "set_config":
		return &openflow.SetConfig{MissSendLen: uint16(arg("miss_send_len"))}
	case "barrier_request":
		return &openflow.BarrierRequest{}
	case "barrier_reply":
		return &openflow.BarrierReply{}
	case "role_request":
		return &openflow.RoleRequest{Role: roleByName[cmd.Arg("role", "nochange")], Generation: arg("generation")}
	case "role_reply":
		return &openflow.RoleReply{Role: roleByName[cmd.Arg("role", "nochange")], Generation: arg("generation")}
	case "desc_request":
		return &openflow.MultipartRequest{Body: &openflow.DescRequest{}}
	case "desc":
		return &openflow.MultipartReply{Flags: flags, Body: &openflow.Desc{Datapath: cmd.Arg("name", "")}}
	case "port_desc_request":
		return &openflow.MultipartRequest{Body: &openflow.PortDescRequest{}}
	case "port_desc":
		return &openflow.MultipartReply{Flags: flags, Body: &openflow.PortDescList{Ports: ports(arg("ports"))}}
	case "port_status":
		return &openflow.PortStatus{Reason: openflow.PortModified, Port: openflow.Port{Number: uint32(arg("port"))}}
	case "packet_in":
		return &openflow.PacketIn{Buffer: uint32(arg("buffer")), InPort: 1, Data: make([]byte, 14)}
	case "packet_out":
		return &openflow.PacketOut{Buffer: uint32(arg("buffer")), InPort: openflow.PortController}
	case "flow_mod":
		return &openflow.FlowMod{Cookie: arg("cookie"), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
			OutGroup: openflow.GroupAny}
	}
	return nil
}

func ports(n uint64) []openflow.Port {
	list := make([]openflow.Port, n)
	for i := range list {
		list[i].Number = uint32(i + 1)
	}
	return list
}
