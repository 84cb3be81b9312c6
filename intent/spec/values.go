package spec

import (
	"encoding/binary"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/weirnet/weir/intent/schema"
)

// SetDefaults gives the numbers of an intent that says nothing the values that they have then.
func (s *Spec) SetDefaults() { s.setDefaults(bounded) }

func (s *Spec) setDefaults(rows []*schema.Row) {
	for _, row := range rows {
		if row.Form == schema.Number {
			*s.NumberOf(row.Field) = uint16(row.Default)
		}
	}
}

// isDefault reports whether a field has the value that it has where nothing is said.
func (s *Spec) isDefault(row *schema.Row) bool {
	switch row.Form {
	case schema.Text:
		return *s.TextOf(row.Field) == ""
	case schema.Enum:
		return *s.EnumOf(row.Field) == 0
	case schema.Number:
		return *s.NumberOf(row.Field) == uint16(row.Default)
	default:
		return !*s.FlagOf(row.Field)
	}
}

// checkValues holds fields of one value to the bounds that the table has for them.
func (s *Spec) checkValues(rows []*schema.Row) error {
	for _, row := range rows {
		switch row.Form {
		case schema.Text:
			if v := *s.TextOf(row.Field); len(v) > row.MaxLength {
				return wrong(row.Name, strconv.Itoa(len(v))+" bytes", "%s", row.Want())
			} else if !utf8.ValidString(v) {
				return wrong(row.Name, strconv.Quote(v), "%s", row.Want())
			}
		case schema.Enum:
			if v := *s.EnumOf(row.Field); int(v) >= len(row.Values) {
				return wrong(row.Name, strconv.Itoa(int(v)), "%s", row.Want())
			}
		case schema.Number:
			if v := *s.NumberOf(row.Field); uint64(v) > row.Max {
				return wrong(row.Name, strconv.Itoa(int(v)), "%s", row.Want())
			}
		}
	}
	return nil
}

// bounded are the rows that checkValues checks: id and kind have checks of their own.
var bounded = slices.DeleteFunc(slices.Clone(schema.ContentValues), func(row *schema.Row) bool {
	return row.Field == schema.ID || row.Field == schema.Kind
})

// listed are the rows whose values format 3 lists: those without a place in the head.
var listed = slices.DeleteFunc(slices.Clone(bounded), func(row *schema.Row) bool { return row.Field == schema.Priority })

// needsList reports whether a value is to be stored that formats 1 and 2 have no place for.
func (s *Spec) needsList() bool {
	for _, row := range listed {
		if row.Field != schema.Wide && !s.isDefault(row) {
			return true
		}
	}
	return false
}

// appendValues appends the list of values: its length in bytes (2), and of each that is not the
// default its row's number (1) and, by form:
//
//	text:   length (2), bytes
//	enum:   number (1)
//	number: value (2)
//	flag:   nothing, it is set
func (s *Spec) appendValues(b []byte, rows []*schema.Row) []byte {
	at := len(b)
	b = append(b, 0, 0)
	for _, row := range rows {
		if s.isDefault(row) {
			continue
		}
		b = append(b, byte(row.Number))
		switch row.Form {
		case schema.Text:
			v := *s.TextOf(row.Field)
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(v))), v...)
		case schema.Enum:
			b = append(b, *s.EnumOf(row.Field))
		case schema.Number:
			b = binary.BigEndian.AppendUint16(b, *s.NumberOf(row.Field))
		}
	}
	binary.BigEndian.PutUint16(b[at:], uint16(len(b)-at-2))
	return b
}

// values reads what appendValues appends. A number that no row has is noted: this version does not
// know the field.
func (r *reader) values(s *Spec, rows []*schema.Row) {
	n := int(binary.BigEndian.Uint16(r.take(2)))
	if n > len(r.rest) {
		r.short = true
		return
	}
	for end := len(r.rest) - n; len(r.rest) > end && r.unknown == 0; {
		number := int(r.take(1)[0])
		i := slices.IndexFunc(rows, func(row *schema.Row) bool { return row.Number == number })
		if i < 0 {
			r.unknown = number
			return
		}
		r.value(s, rows[i])
	}
}

func (r *reader) value(s *Spec, row *schema.Row) {
	switch row.Form {
	case schema.Text:
		*s.TextOf(row.Field) = r.text(int(binary.BigEndian.Uint16(r.take(2))))
	case schema.Enum:
		*s.EnumOf(row.Field) = r.take(1)[0]
	case schema.Number:
		*s.NumberOf(row.Field) = binary.BigEndian.Uint16(r.take(2))
	case schema.Flag:
		*s.FlagOf(row.Field) = true
	}
}

// appendText appends a field of one value as String has it; nothing if it is not said.
func (s *Spec) appendText(b []byte, row *schema.Row) []byte {
	if row.Field != schema.Priority && s.isDefault(row) {
		return b
	}
	b = append(append(b, ' '), row.Name...)
	switch row.Form {
	case schema.Text:
		b = strconv.AppendQuote(append(b, ' '), *s.TextOf(row.Field))
	case schema.Enum:
		b = append(append(b, ' '), row.Values[*s.EnumOf(row.Field)]...)
	case schema.Number:
		b = strconv.AppendUint(append(b, ' '), uint64(*s.NumberOf(row.Field)), 10)
	}
	return b
}
