package openflow

import "strconv"

// A multipartForm is the length of the body of a multipart message, in bytes, without the multipart
// header: least, most, and what a longer one than least grows by; 0 if there is no such message.
type multipartForm struct{ least, most, step int }

func (f *multipartForm) fits(n int) bool {
	return n >= f.least && n <= f.most && (n-f.least)%f.step == 0
}

// Lengths are those of the structs in Open vSwitch's include/openflow/openflow-1.{0,1,2,3}.h and
// the table of statistics messages of its include/openvswitch/ofp-msgs.h.

// multipartForms are the requests and replies of OpenFlow 1.0, and those of 1.3, by kind.
var multipartForms = [...][4]multipartForm{
	MultipartDesc:          {{0, 0, 1}, {1056, 1056, 1}, {0, 0, 1}, {1056, 1056, 1}},
	MultipartFlow:          {{44, 44, 1}, {0, longest, 8}, {40, longest, 8}, {0, longest, 8}},
	MultipartAggregate:     {{44, 44, 1}, {24, 24, 1}, {40, longest, 8}, {24, 24, 1}},
	MultipartTable:         {{0, 0, 1}, {0, longest, 64}, {0, 0, 1}, {0, longest, 24}},
	MultipartPortStats:     {{8, 8, 1}, {0, longest, 104}, {8, 8, 1}, {0, longest, 112}},
	MultipartQueue:         {{8, 8, 1}, {0, longest, 32}, {8, 8, 1}, {0, longest, 40}},
	MultipartGroup:         {{}, {}, {8, 8, 1}, {0, longest, 8}},
	MultipartGroupDesc:     {{}, {}, {0, 0, 1}, {0, longest, 8}},
	MultipartGroupFeatures: {{}, {}, {0, 0, 1}, {40, 40, 1}},
	MultipartMeter:         {{}, {}, {8, 8, 1}, {0, longest, 8}},
	MultipartMeterConfig:   {{}, {}, {8, 8, 1}, {0, longest, 8}},
	MultipartMeterFeatures: {{}, {}, {0, 0, 1}, {16, 16, 1}},
	MultipartTableFeatures: {{}, {}, {0, longest, 8}, {0, longest, 8}},
	MultipartPortDesc:      {{}, {}, {0, 0, 1}, {0, longest, 64}},
}

var experimenterForms = [4]multipartForm{{4, longest, 1}, {4, longest, 1}, {8, longest, 1}, {8, longest, 1}}

// form is the row of the table for a request or reply of this kind; nil if v has none.
func (k MultipartType) form(t Type, v Version) *multipartForm {
	forms, i := &experimenterForms, 0
	switch {
	case int(k) < len(multipartForms):
		forms = &multipartForms[k]
	case k != MultipartExperimenter:
		return nil
	}
	if v != V10 {
		i = 2
	}
	if t == TypeMultipartReply {
		i++
	}
	if forms[i].step == 0 {
		return nil
	}
	return &forms[i]
}

// multipartHeaderLen is the length of type, flags and pad.
func multipartHeaderLen(v Version) int {
	if v == V10 {
		return 4
	}
	return 8
}

// multiparts are the kinds of OpenFlow 1.3: their names, and how empty bodies are made.
var multiparts = [...]struct {
	name    string
	request func() RequestBody
	reply   func() ReplyBody
}{
	MultipartDesc:          {"desc", emptyRequest[DescRequest], emptyReply[Desc]},
	MultipartFlow:          {"flow", emptyRequest[FlowRequest], emptyReply[FlowStatsList]},
	MultipartAggregate:     {"aggregate", emptyRequest[AggregateRequest], emptyReply[AggregateStats]},
	MultipartTable:         {"table", emptyRequest[TableRequest], emptyReply[TableStatsList]},
	MultipartPortStats:     {"port_stats", emptyRequest[PortStatsRequest], emptyReply[PortStatsList]},
	MultipartQueue:         {"queue", emptyRequest[QueueRequest], emptyReply[QueueStatsList]},
	MultipartGroup:         {"group", emptyRequest[GroupRequest], emptyReply[GroupStatsList]},
	MultipartGroupDesc:     {"group_desc", emptyRequest[GroupDescRequest], emptyReply[GroupDescList]},
	MultipartGroupFeatures: {"group_features", emptyRequest[GroupFeaturesRequest], emptyReply[GroupFeatures]},
	MultipartMeter:         {"meter", emptyRequest[MeterRequest], emptyReply[MeterStatsList]},
	MultipartMeterConfig:   {"meter_config", emptyRequest[MeterConfigRequest], emptyReply[MeterConfigList]},
	MultipartMeterFeatures: {"meter_features", emptyRequest[MeterFeaturesRequest], emptyReply[MeterFeatures]},
	MultipartTableFeatures: {"table_features", emptyRequest[TableFeaturesList], emptyReply[TableFeaturesList]},
	MultipartPortDesc:      {"port_desc", emptyRequest[PortDescRequest], emptyReply[PortDescList]},
}

func emptyRequest[T any, B interface {
	*T
	RequestBody
}]() RequestBody {
	return B(new(T))
}

func emptyReply[T any, B interface {
	*T
	ReplyBody
}]() ReplyBody {
	return B(new(T))
}

// String is the name of the kind in OpenFlow 1.3, in lower case: "port_desc".
func (k MultipartType) String() string {
	switch {
	case int(k) < len(multiparts):
		return multiparts[k].name
	case k == MultipartExperimenter:
		return "experimenter"
	}
	return strconv.Itoa(int(k))
}

// newRequestBody is an empty body of a kind that a table of requests has.
func newRequestBody(k MultipartType) RequestBody {
	if int(k) < len(multiparts) {
		return multiparts[k].request()
	}
	return new(MultipartExperimenterBody)
}

// newReplyBody is an empty body of a kind that a table of replies has.
func newReplyBody(k MultipartType) ReplyBody {
	if int(k) < len(multiparts) {
		return multiparts[k].reply()
	}
	return new(MultipartExperimenterBody)
}
