package netlab

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// unixctl is an open connection to the control socket of a daemon of Open vSwitch: what ovs-appctl
// does, without a process for each command. It speaks JSON-RPC 1.0.
type unixctl struct {
	conn   net.Conn
	decode *json.Decoder
	calls  int
}

// unixctlLimit is how long a command may take.
const unixctlLimit = 60 * time.Second

func newUnixctl(conn net.Conn) *unixctl { return &unixctl{conn: conn, decode: json.NewDecoder(conn)} }

// call runs a command and returns what it prints.
func (u *unixctl) call(command string, args ...string) (string, error) {
	if err := u.send(command, args...); err != nil {
		return "", err
	}
	return u.receive()
}

// send asks for a command; its answer is to be received before the next one is sent.
func (u *unixctl) send(command string, args ...string) error {
	u.calls++
	if args == nil {
		args = []string{}
	}
	request, err := json.Marshal(map[string]any{"id": u.calls, "method": command, "params": args})
	if err != nil {
		return err
	}
	if err := u.conn.SetDeadline(time.Now().Add(unixctlLimit)); err != nil {
		return err
	}
	_, err = u.conn.Write(request)
	return err
}

// receive waits for the answer of the last command sent.
func (u *unixctl) receive() (string, error) {
	var reply struct {
		ID     int     `json:"id"`
		Result string  `json:"result"`
		Error  *string `json:"error"`
	}
	if err := u.decode.Decode(&reply); err != nil {
		return "", err
	}
	switch {
	case reply.ID != u.calls:
		return "", fmt.Errorf("answer to call %d, want %d", reply.ID, u.calls)
	case reply.Error != nil:
		return "", errors.New(*reply.Error)
	}
	return reply.Result, nil
}
