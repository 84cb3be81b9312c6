package campaign

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/wire"
)

// nonce draws a number.
func nonce() []byte {
	b := make([]byte, wire.NonceLen)
	rand.Read(b) // never fails
	return b
}

// answerNear is an observer's part of the beginning of a connection: it lets nobody in without the
// key, nor whom admit refuses. The error has been told.
func answerNear(conn io.ReadWriter, key []byte, admit func() error) error {
	own, theirs := nonce(), wire.Proof{}
	if err := wire.Write(conn, wire.Hello{Version: wire.Version, Nonce: own}); err != nil {
		return err
	}
	if err := wire.Read(conn, wire.Short, &theirs); err != nil {
		return err
	}
	err := theirs.Check()
	switch {
	case err != nil:
		err = otherVersion("the near side", err)
	case !wire.Proves(theirs.Proof, wire.Near, key, own, theirs.Nonce):
		err = &probe.Refusal{Why: probe.ErrKey, Seen: "the near side has another key, or one of both has none",
			Want: "the same at both", Do: "give --key with the same file to both"}
	default:
		err = admit()
	}
	reply := wire.Proof{Version: wire.Version, Error: wire.ErrorOf(err)}
	if err == nil {
		reply.Proof = wire.Prove(wire.Observer, key, own, theirs.Nonce)
	}
	return errors.Join(err, wire.Write(conn, reply))
}

// greetObserver is the near side's part.
func greetObserver(conn io.ReadWriter, key []byte) error {
	var hello wire.Hello
	if err := wire.Read(conn, wire.Short, &hello); err != nil {
		return noObserver(err)
	}
	if err := hello.Check(); err != nil {
		return otherVersion("the observer", err)
	}
	own, theirs := nonce(), wire.Proof{}
	if err := wire.Write(conn, wire.Proof{Version: wire.Version, Nonce: own,
		Proof: wire.Prove(wire.Near, key, hello.Nonce, own)}); err != nil {
		return noObserver(err)
	}
	if err := wire.Read(conn, wire.Short, &theirs); err != nil {
		return noObserver(err)
	}
	if err := theirs.Error.Err(); err != nil {
		return err
	}
	if !wire.Proves(theirs.Proof, wire.Observer, key, hello.Nonce, own) {
		return &probe.Refusal{Why: probe.ErrKey, Seen: "who answers does not have the key", Want: "an observer that has",
			Do: "look at who listens there"}
	}
	return nil
}

// otherVersion is of a side with which this one cannot speak.
func otherVersion(who string, err error) error {
	return &probe.Refusal{Why: probe.ErrNoObserver, Seen: fmt.Sprintf("%s: %v", who, err),
		Want: fmt.Sprintf("protocol version %d at both machines", wire.Version), Do: "run the same weir at both"}
}

// noObserver is of an address at which nobody observes.
func noObserver(err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("the connection was closed")
	}
	return &probe.Refusal{Why: probe.ErrNoObserver, Seen: err.Error(), Want: "weir probe observe there",
		Do: "start it, with a --listen that can be reached from here"}
}
