package spec

import (
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/intent/schema"
)

// value returns the value of a field.
func (s *Spec) value(row *schema.Row) (v value) {
	switch row.Form {
	case schema.Text:
		v.text = *s.TextOf(row.Field)
	case schema.Enum:
		v.number = uint16(*s.EnumOf(row.Field))
	case schema.Number:
		v.number = *s.NumberOf(row.Field)
	case schema.Flag:
		v.flag = *s.FlagOf(row.Field)
	}
	return v
}

func (s *Spec) setValue(row *schema.Row, v value) {
	switch row.Form {
	case schema.Text:
		*s.TextOf(row.Field) = v.text
	case schema.Enum:
		*s.EnumOf(row.Field) = uint8(v.number)
	case schema.Number:
		*s.NumberOf(row.Field) = v.number
	case schema.Flag:
		*s.FlagOf(row.Field) = v.flag
	}
}

// SetDefaults gives the numbers of an intent that says nothing the values that they have then.
func (s *Spec) SetDefaults() { s.setDefaults(bounded) }

func (s *Spec) setDefaults(rows []*schema.Row) {
	for _, row := range rows {
		if row.Form == schema.Number {
			s.setValue(row, value{number: uint16(row.Default)})
		}
	}
}

// checkValues holds fields of one value to the bounds that the table has for them.
func (s *Spec) checkValues(rows []*schema.Row) error {
	for _, row := range rows {
		if err := s.value(row).check(row); err != nil {
			return err
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
		if row.Field != schema.Wide && !s.value(row).isDefault(row) {
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
		if v := s.value(row); !v.isDefault(row) {
			b = v.append(append(b, byte(row.Number)), row)
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
		s.setValue(rows[i], r.value(rows[i]))
	}
}
