package client

import "strconv"

// AppendJSON appends the record as encoding/json has it, without a newline, but for characters of
// HTML, which stand as they are. The error is of a time that RFC 3339 cannot say.
func (r *AuditRecord) AppendJSON(b []byte) ([]byte, error) {
	b, err := r.Time.AppendText(append(b, `{"time":"`...))
	if err != nil {
		return b, err
	}
	b = append(b, '"')
	b = appendJSONString(b, `"id":`, r.ID)
	b = appendQuoted(appendBegin(b, `"who":`), r.Who)
	b = appendJSONString(b, `"role":`, r.Role)
	b = appendJSONString(b, `"from":`, r.From)
	b = appendJSONString(b, `"via":`, r.Via)
	b = appendQuoted(appendBegin(b, `"what":`), r.What)
	b = appendJSONString(b, `"object":`, r.Object)
	b = appendQuoted(appendBegin(b, `"result":`), r.Result)
	if r.Status != 0 {
		b = strconv.AppendInt(appendBegin(b, `"status":`), int64(r.Status), 10)
	}
	b = appendJSONString(b, `"detail":`, r.Detail)
	return append(b, '}'), nil
}
