package schema

import (
	"slices"
	"strconv"
	"strings"
)

// Form is the form of a field's value.
type Form uint8

// The forms.
const (
	Text    Form = iota + 1 // a string
	Enum                    // one of Values: its name in JSON, its place in protobuf
	Number                  // a whole number from 0 to Max
	Flag                    // true or false
	Ends                    // a host, or connect points; in protobuf a field for either
	HopList                 // switches, each with the ports in and out
	Match                   // match fields; in protobuf a field for text, and one for OXM TLVs
	Object                  // an object
)

// Part says to what a field belongs.
type Part uint8

// The parts.
const (
	Content Part = iota // the intent's content, which is stored
	Request             // the request, in a stream; where it stands alone, its URL and headers say the same
)

// Row is a field.
type Row struct {
	Field Field
	Form  Form
	Part  Part

	Number     int // in protobuf, and in what is stored; 0: it has none
	AlsoNumber int // of the second field that Ends and Match have there

	Name  string // in JSON, in YAML, in errors and in protobuf
	Also  string // of the second field
	Begin string // Name as JSON objects have it: with quotes and a colon

	Values       []string // of an Enum, by their numbers; "": none
	Default, Max uint64   // of a Number
	MaxLength    int      // of a Text, in bytes

	// Unserved says that the field has no effect yet, so that all but its empty value is refused.
	Unserved string

	Flags []CommandFlag
	Doc   string // what it says, for people who write requests

	Comment, AlsoComment string // of the fields in intents.proto
}

// CommandFlag is a flag of weir intent by which a field is given.
type CommandFlag struct {
	Name, Usage string
	Command     string // which of its commands has it; "": add and replace
}

// OneValue reports whether the field has one value, which text says.
func (r *Row) OneValue() bool { return r.Form >= Text && r.Form <= Flag }

// ContentValues are the rows of the content's fields that have one value, and an effect.
var ContentValues = func() (list []*Row) {
	for i := range Rows {
		if r := &Rows[i]; r.Part == Content && r.Unserved == "" && r.OneValue() {
			list = append(list, r)
		}
	}
	return list
}()

// Want says which values the field takes: "a whole number from 0 to 19999".
func (r *Row) Want() string {
	switch r.Form {
	case Text:
		return "text in UTF-8 of at most " + strconv.Itoa(r.MaxLength) + " bytes"
	case Enum:
		return "one of " + r.Choices()
	case Number:
		return "a whole number from 0 to " + strconv.FormatUint(r.Max, 10)
	case Flag:
		return "true or false"
	case Ends:
		return "a host or connect points"
	case HopList:
		return "hops"
	case Match:
		return "match fields"
	}
	return "an object"
}

// Choices returns the names of an Enum's values: "create, put, withdraw".
func (r *Row) Choices() string { return strings.Join(r.Names(), ", ") }

// Names returns the names of an Enum's values, in order of their numbers.
func (r *Row) Names() []string {
	return slices.DeleteFunc(slices.Clone(r.Values), func(v string) bool { return v == "" })
}

// ValueOf returns the number of an Enum's value; false if it has no such value.
func (r *Row) ValueOf(name string) (uint64, bool) {
	for i, v := range r.Values {
		if v == name && name != "" {
			return uint64(i), true
		}
	}
	return 0, false
}

// NameOf returns the name of one of the row's numbers.
func (r *Row) NameOf(number int) string {
	if number == r.AlsoNumber {
		return r.Also
	}
	return r.Name
}

// Named returns the row of a name; nil if no field has it.
func Named(name string) *Row {
	if name == "" {
		return nil
	}
	for at := place(name); byName[at] > 0; at = (at + 1) % places {
		if r := &Rows[byName[at]-1]; r.Name == name {
			return r
		}
	}
	return nil
}

// places is how many there are in byName: several times the rows.
const places = 64

// byName has the rows by their names, from 1 on, each at its place or behind it.
var byName = func() (table [places]uint8) {
	for i := range Rows {
		at := place(Rows[i].Name)
		for table[at] > 0 {
			at = (at + 1) % places
		}
		table[at] = uint8(i + 1)
	}
	return table
}()

// place is where a name is looked for first, by its length and two of its bytes: no more is read of it than has to
// be, since every field of every request is looked for.
func place(name string) uint8 {
	return (uint8(len(name)) + 5*name[0] + 11*name[len(name)-1]) % places
}

// Numbered returns the row that has a number in protobuf; nil if none has.
func Numbered(number int) *Row {
	if uint(number) >= uint(len(byNumber)) || byNumber[number] == 0 {
		return nil
	}
	return &Rows[byNumber[number]-1]
}

// byNumber has the rows by their numbers, from 1 on.
var byNumber = func() (table [32]uint8) {
	for i := range Rows {
		for _, n := range [...]int{Rows[i].Number, Rows[i].AlsoNumber} {
			if n > 0 {
				table[n] = uint8(i + 1)
			}
		}
	}
	return table
}()

// Known lists the names of a part's fields, and those of the content: "id, kind or wide".
func Known(p Part) string {
	var names []string
	for _, of := range [...]Part{Request, Content} {
		for i := range Rows {
			if r := &Rows[i]; r.Part == of && (of == Content || of == p) {
				names = append(names, r.Name)
			}
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
