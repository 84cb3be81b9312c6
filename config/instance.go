package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/weirnet/weir/atomicfile"
)

// InstanceFile is the file of a data directory with what is the instance's own: a line with its checksum, then
// JSON.
const InstanceFile = "configuration.instance"

const instanceHead = "weir-instance 1 sha256 "

// Part is what an instance keeps of its own configuration.
type Part struct {
	// Text is in force for the instance: what it says is of scope OfInstance.
	Text string `json:"text"`
	// Source is where Text is from.
	Source Source `json:"source"`
	// File and Sum are the last file that the instance has read (--config) and the SHA-256 of its
	// contents: the file is applied again when these change.
	File string `json:"file,omitempty"`
	Sum  string `json:"sum,omitempty"`
	// By is who gave Text, and At when.
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
	// Name is that of the instance when this was kept: what the store says of it has this name.
	Name string `json:"name,omitempty"`
}

func (p Part) equal(q Part) bool {
	at := p.At.Equal(q.At)
	p.At, q.At = time.Time{}, time.Time{}
	return at && p == q
}

// instanceFile is what the file says.
type instanceFile struct {
	Held Part `json:"held"`
	// Next replaces Held if the store has the change: then both its parts were kept, and else neither.
	Next   *Part  `json:"next,omitempty"`
	Change string `json:"change,omitempty"`
}

// loadInstance reads the file; nil if there is none.
func loadInstance(dir string) (*instanceFile, error) {
	path := filepath.Join(dir, InstanceFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("data directory: %s is not a directory: choose another with --data-dir", dir)
	} else if err != nil {
		return nil, fmt.Errorf("the instance's configuration in the data directory: %w", err)
	}
	f, err := decodeInstance(b)
	if err != nil {
		return nil, fmt.Errorf("the instance's configuration %s is damaged (%w): restore it from a copy, or move it away and give "+
			"the name, addresses and TLS files of the instance again, by flags, --config or weir apply", path, err)
	}
	return f, nil
}

func decodeInstance(b []byte) (*instanceFile, error) {
	body, err := checkedBody(b, instanceHead)
	if err != nil {
		return nil, err
	}
	f := &instanceFile{}
	if err := json.Unmarshal(body, f); err != nil {
		return nil, err
	}
	if (f.Next == nil) != (f.Change == "") {
		return nil, errors.New("it has one of next and change, want both or none")
	}
	return f, nil
}

// encode returns the file.
func (f *instanceFile) encode() ([]byte, error) {
	body, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return nil, err
	}
	return append([]byte(instanceHead+Sum(body)+"\n"), body...), nil
}

func (f *instanceFile) write(dir string) error {
	b, err := f.encode()
	if err == nil {
		err = atomicfile.Write(filepath.Join(dir, InstanceFile), b)
	}
	if err != nil {
		return fmt.Errorf("keeping the instance's configuration: %w", err)
	}
	return nil
}

// settle is the file as a store with these marks decides it.
func (f *instanceFile) settle(marks []Mark) {
	for _, m := range marks {
		if f.Next != nil && m.Change == f.Change {
			f.Held = *f.Next
			break
		}
	}
	f.Next, f.Change = nil, ""
}

// Mark is what the state says of one instance.
type Mark struct {
	Name string `json:"name"`
	// Sum is that of the last file of --config that the instance has applied to this state: Part.Sum, unless
	// another state has been restored since.
	Sum string `json:"sum,omitempty"`
	// Change names the last change of both this state and the instance's part.
	Change string `json:"change,omitempty"`
}

// marksMax bounds the marks of a state: of the longest silent instance they are forgotten, which reads its file
// anew if it comes back.
const marksMax = 256

// withMark returns marks with that of one instance in its new form, as the last one.
func withMark(marks []Mark, m Mark) []Mark {
	list := make([]Mark, 0, len(marks)+1)
	for _, o := range marks {
		if o.Name != m.Name {
			list = append(list, o)
		}
	}
	list = append(list, m)
	return list[max(0, len(list)-marksMax):]
}

// markOf is the mark of an instance; nil if there is none.
func markOf(marks []Mark, name string) *Mark {
	for i := range marks {
		if marks[i].Name == name {
			return &marks[i]
		}
	}
	return nil
}
