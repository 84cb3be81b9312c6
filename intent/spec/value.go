package spec

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"github.com/weirnet/weir/intent/schema"
)

// value is what a field of one value has; which part counts is said by the form of its row. The other
// parts are zero.
type value struct {
	text   string
	number uint16 // of an enumeration too
	flag   bool
}

// isDefault reports whether it is the value that the field has where nothing is said.
func (v value) isDefault(row *schema.Row) bool {
	switch row.Form {
	case schema.Text:
		return v.text == ""
	case schema.Enum:
		return v.number == 0
	case schema.Number:
		return v.number == uint16(row.Default)
	default:
		return !v.flag
	}
}

// check holds it to the bounds that the table has.
func (v value) check(row *schema.Row) error {
	switch row.Form {
	case schema.Text:
		if len(v.text) > row.MaxLength {
			return wrong(row.Name, strconv.Itoa(len(v.text))+" bytes", "%s", row.Want())
		} else if !utf8.ValidString(v.text) {
			return wrong(row.Name, strconv.Quote(v.text), "%s", row.Want())
		}
	case schema.Enum:
		if int(v.number) >= len(row.Values) {
			return wrong(row.Name, strconv.Itoa(int(v.number)), "%s", row.Want())
		}
	case schema.Number:
		if uint64(v.number) > row.Max {
			return wrong(row.Name, strconv.Itoa(int(v.number)), "%s", row.Want())
		}
	}
	return nil
}

// append appends it as it stands in a list of values (Spec.appendValues); reader.value reads it.
func (v value) append(b []byte, row *schema.Row) []byte {
	switch row.Form {
	case schema.Text:
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(v.text))), v.text...)
	case schema.Enum:
		b = append(b, byte(v.number))
	case schema.Number:
		b = binary.BigEndian.AppendUint16(b, v.number)
	}
	return b
}

func (r *reader) value(row *schema.Row) (v value) {
	switch row.Form {
	case schema.Text:
		v.text = r.text(int(binary.BigEndian.Uint16(r.take(2))))
	case schema.Enum:
		v.number = uint16(r.take(1)[0])
	case schema.Number:
		v.number = binary.BigEndian.Uint16(r.take(2))
	case schema.Flag:
		v.flag = true
	}
	return v
}

// appendText appends the field as Spec.String has it; nothing if it is not said.
func (v value) appendText(b []byte, row *schema.Row) []byte {
	if row.Field != schema.Priority && v.isDefault(row) {
		return b
	}
	b = append(append(b, ' '), row.Name...)
	switch row.Form {
	case schema.Text:
		b = strconv.AppendQuote(append(b, ' '), v.text)
	case schema.Enum:
		b = append(append(b, ' '), row.Values[v.number]...)
	case schema.Number:
		b = strconv.AppendUint(append(b, ' '), uint64(v.number), 10)
	}
	return b
}
