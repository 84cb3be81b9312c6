package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const conversation = `# Adds numbers.
add 1 2 sign=plus
----
3

# Two lines of input, an output with an empty line in it.
echo
a

b
----
----
a

b
----

quiet
----

# end
`

func TestParseThenFormatGivesTheFile(t *testing.T) {
	blocks, err := parse("x", conversation)
	if err != nil {
		t.Fatal(err)
	}
	if got := format(blocks); got != conversation {
		t.Errorf("got:\n%s\nwant:\n%s", got, conversation)
	}
	if c := blocks[0].command; c.Arg("sign", "") != "plus" || c.Rest != "1 2 sign=plus" || c.Line != 2 {
		t.Errorf("command: %+v", c)
	}
	if c := blocks[1].command; c.Input != "a\n\nb" || blocks[1].output != "a\n\nb" {
		t.Errorf("input %q, output %q", c.Input, blocks[1].output)
	}
}

func TestMissingDashesAreAnError(t *testing.T) {
	if _, err := parse("x", "add 1 2\n3\n"); err == nil || !strings.Contains(err.Error(), "x:1") {
		t.Errorf("err = %v", err)
	}
}

func TestRunGivesCommandsInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte(conversation), 0o644); err != nil {
		t.Fatal(err)
	}
	var names []string
	Run(t, path, func(_ *testing.T, c *Command) string {
		names = append(names, c.Name)
		switch c.Name {
		case "add":
			return "3\n"
		case "echo":
			return c.Input
		}
		return ""
	})
	if got := strings.Join(names, " "); got != "add echo quiet" {
		t.Errorf("commands: %s", got)
	}
}
