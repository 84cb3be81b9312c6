package wire

import (
	"strconv"

	"github.com/weirnet/weir/intent"
	"github.com/weirnet/weir/intent/schema"
	"github.com/weirnet/weir/intent/spec"
)

// text returns the place of a field of the form Text.
func text(r *intent.Request, f schema.Field) *string {
	switch f {
	case schema.IfMatch:
		return &r.IfMatch
	case schema.Key:
		return &r.Key
	}
	return r.Spec.TextOf(f)
}

// ops are the operations by their numbers in the table.
var ops = [...]intent.Op{intent.Create, intent.Replace, intent.Withdraw}

func setEnum(r *intent.Request, f schema.Field, n uint64) {
	if f == schema.Op {
		r.Op = ops[n]
		return
	}
	*r.Spec.EnumOf(f) = uint8(n)
}

// requestTexts are the texts that are a request's and not its content's.
var requestTexts = func() (list []*schema.Row) {
	for i := range schema.Rows {
		if row := &schema.Rows[i]; row.Part == schema.Request && row.Form == schema.Text {
			list = append(list, row)
		}
	}
	return list
}()

// checkTexts holds them to their bounds.
func checkTexts(r *intent.Request) error {
	for _, row := range requestTexts {
		if n := len(*text(r, row.Field)); n > row.MaxLength {
			return &spec.Error{Field: row.Name, Given: strconv.Itoa(n) + " bytes", Want: row.Want()}
		}
	}
	return nil
}
