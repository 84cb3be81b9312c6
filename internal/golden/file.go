package golden

import (
	"fmt"
	"strings"
)

const dashes = "----"

// block is a command with its output, or lines that are only kept: comments and empty ones.
type block struct {
	kept    []string // lines before the command
	command *Command // nil for the lines after the last command
	head    []string // the command's lines as written, before the dashes
	output  string
}

// parse splits a file into blocks.
func parse(path, text string) ([]*block, error) {
	var blocks []*block
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	cur := &block{}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			cur.kept = append(cur.kept, line)
			continue
		}
		start := i
		for i < len(lines) && lines[i] != dashes {
			i++
		}
		if i == len(lines) {
			return nil, fmt.Errorf("%s:%d: no line of dashes after the command", path, start+1)
		}
		cur.head = lines[start:i]
		cur.command = command(path, start+1, cur.head)
		cur.output, i = output(lines, i+1)
		blocks = append(blocks, cur)
		cur = &block{}
	}
	return append(blocks, cur), nil
}

// command makes the command of a block from its lines.
func command(path string, line int, head []string) *Command {
	words := strings.Fields(head[0])
	_, rest, _ := strings.Cut(strings.TrimSpace(head[0]), " ")
	return &Command{Name: words[0], Args: words[1:], Rest: rest, Input: strings.Join(head[1:], "\n"), File: path, Line: line}
}

// output reads the output that starts at line i and returns it with the index of the last line that
// belongs to it.
func output(lines []string, i int) (string, int) {
	end := i
	if i < len(lines) && lines[i] == dashes {
		for end = i + 1; end < len(lines) && lines[end] != dashes; end++ {
		}
		return strings.Join(lines[i+1:min(end, len(lines))], "\n"), end
	}
	for end < len(lines) && lines[end] != "" {
		end++
	}
	return strings.Join(lines[i:end], "\n"), end - 1
}

// format writes blocks as a file; parse reads them again.
func format(blocks []*block) string {
	var s strings.Builder
	for _, b := range blocks {
		for _, line := range b.kept {
			s.WriteString(line + "\n")
		}
		if b.command == nil {
			continue
		}
		s.WriteString(strings.Join(b.head, "\n") + "\n" + dashes + "\n")
		switch {
		case b.output == "":
		case strings.Contains(b.output, "\n\n") || strings.HasPrefix(b.output, "\n") || strings.HasPrefix(b.output, dashes):
			s.WriteString(dashes + "\n" + b.output + "\n" + dashes + "\n")
		default:
			s.WriteString(b.output + "\n")
		}
	}
	return s.String()
}
