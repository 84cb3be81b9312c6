package cli

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/openflow"
)

// maxPrintLine bounds a line of input, in bytes. The longest message has 65535 bytes of two digits
// each, with white space between them.
const maxPrintLine = 1 << 20

func newPrint() *cobra.Command {
	var reencode bool
	cmd := &cobra.Command{
		Use:   "print [HEX …]",
		Short: "Turn OpenFlow bytes into text",
		Long: `Turn OpenFlow bytes, in hexadecimal, into one line of text a message.

Each argument is one message; without arguments, each line of standard input is. White space within is ignored. A line that is no
message, or a malformed one, prints a line that begins with "error:"; the command goes on, and exits 1 at the end.`,
		Example: `  weir print 0400000800000007
  weir print --reencode 0400000800000007
  weir print < messages.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			p := printer{out: bufio.NewWriter(cmd.OutOrStdout()), reencode: reencode}
			return command.RuntimeError(p.run(args, cmd.InOrStdin()))
		},
	}
	cmd.Flags().BoolVar(&reencode, "reencode", false,
		"print the hexadecimal bytes of each message as Weir encodes what it decoded")
	return cmd
}

// printer prints messages. failed is set by the first one that is refused.
type printer struct {
	out      *bufio.Writer
	reencode bool
	failed   bool
}

// errReported is the error of a command that has printed what is wrong already.
var errReported = &command.ExitError{}

func (p *printer) run(args []string, in io.Reader) error {
	for _, digits := range messagesOf(args) {
		p.line(digits)
	}
	if len(args) == 0 {
		if err := p.lines(bufio.NewReaderSize(in, 64<<10)); err != nil {
			p.out.Flush()
			return fmt.Errorf("standard input: %w", err)
		}
	}
	if err := p.out.Flush(); err != nil {
		return err
	}
	if p.failed {
		return errReported
	}
	return nil
}

// messagesOf returns the arguments, one message each; but where none of several has more than 8
// digits, none can be a message (a header has 16), and all together are one.
func messagesOf(args []string) []string {
	if len(args) < 2 || slices.ContainsFunc(args, func(a string) bool { return len(a) > 8 }) {
		return args
	}
	return []string{strings.Join(args, "")}
}

// lines prints each line that is not blank. A line that is too long is refused like any other that
// is no message.
func (p *printer) lines(in *bufio.Reader) error {
	var line []byte
	long := false
	for {
		part, more, err := in.ReadLine()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if long = long || len(line)+len(part) > maxPrintLine; !long {
			line = append(line, part...)
		}
		if more {
			continue
		}
		if long {
			p.refuse(fmt.Errorf("not a message: a line of more than %d bytes", maxPrintLine))
		} else if text := string(line); strings.TrimSpace(text) != "" {
			p.line(text)
		}
		line, long = line[:0], false
	}
}

func (p *printer) line(digits string) {
	text, err := p.message(digits)
	if err != nil {
		p.refuse(err)
		return
	}
	p.out.WriteString(text + "\n")
}

func (p *printer) refuse(err error) {
	p.failed = true
	p.out.WriteString("error: " + err.Error() + "\n")
}

// message returns the text of one message, or its bytes encoded again. The error of a malformed
// message is a *openflow.DecodeError, with the type and code of the OpenFlow error.
func (p *printer) message(digits string) (string, error) {
	b, err := parseHex(digits)
	if err != nil {
		return "", err
	}
	h, m, err := openflow.Parse(b)
	if err != nil {
		return "", err
	}
	if !p.reencode {
		return openflow.Text(h, m), nil
	}
	again, err := openflow.Append(nil, h.Version, h.XID, m)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(again), nil
}

// parseHex reads hexadecimal digits with white space anywhere, with or without 0x.
func parseHex(s string) ([]byte, error) {
	digits := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	digits = strings.TrimPrefix(digits, "0x")
	b, err := hex.DecodeString(digits)
	var odd hex.InvalidByteError
	switch {
	case errors.As(err, &odd):
		return nil, fmt.Errorf("not hexadecimal: %q among the digits", rune(odd))
	case err != nil:
		return nil, fmt.Errorf("not hexadecimal: an odd number of digits, %d", len(digits))
	}
	return b, nil
}
