package openflow

import "strconv"

// A multipartForm is the length of the body of a multipart message, in bytes, without the multipart
// header: least, most, and what a longer one than least grows by.
type multipartForm struct {
	kind              MultipartType
	least, most, step int
}

func (f *multipartForm) fits(n int) bool {
	return n >= f.least && n <= f.most && (n-f.least)%f.step == 0
}

// Lengths are those of the structs in Open vSwitch's include/openflow/openflow-1.{0,1,2,3}.h and
// the table of statistics messages of its include/openvswitch/ofp-msgs.h.

var multipartRequests10 = []multipartForm{
	{MultipartDesc, 0, 0, 1},
	{MultipartFlow, 44, 44, 1},
	{MultipartAggregate, 44, 44, 1},
	{MultipartTable, 0, 0, 1},
	{MultipartPortStats, 8, 8, 1},
	{MultipartQueue, 8, 8, 1},
	{MultipartExperimenter, 4, longest, 1},
}

var multipartReplies10 = []multipartForm{
	{MultipartDesc, 1056, 1056, 1},
	{MultipartFlow, 0, longest, 8},
	{MultipartAggregate, 24, 24, 1},
	{MultipartTable, 0, longest, 64},
	{MultipartPortStats, 0, longest, 104},
	{MultipartQueue, 0, longest, 32},
	{MultipartExperimenter, 4, longest, 1},
}

var multipartRequests13 = []multipartForm{
	{MultipartDesc, 0, 0, 1},
	{MultipartFlow, 40, longest, 8},
	{MultipartAggregate, 40, longest, 8},
	{MultipartTable, 0, 0, 1},
	{MultipartPortStats, 8, 8, 1},
	{MultipartQueue, 8, 8, 1},
	{MultipartGroup, 8, 8, 1},
	{MultipartGroupDesc, 0, 0, 1},
	{MultipartGroupFeatures, 0, 0, 1},
	{MultipartMeter, 8, 8, 1},
	{MultipartMeterConfig, 8, 8, 1},
	{MultipartMeterFeatures, 0, 0, 1},
	{MultipartTableFeatures, 0, longest, 8},
	{MultipartPortDesc, 0, 0, 1},
	{MultipartExperimenter, 8, longest, 1},
}

var multipartReplies13 = []multipartForm{
	{MultipartDesc, 1056, 1056, 1},
	{MultipartFlow, 0, longest, 8},
	{MultipartAggregate, 24, 24, 1},
	{MultipartTable, 0, longest, 24},
	{MultipartPortStats, 0, longest, 112},
	{MultipartQueue, 0, longest, 40},
	{MultipartGroup, 0, longest, 8},
	{MultipartGroupDesc, 0, longest, 8},
	{MultipartGroupFeatures, 40, 40, 1},
	{MultipartMeter, 0, longest, 8},
	{MultipartMeterConfig, 0, longest, 8},
	{MultipartMeterFeatures, 16, 16, 1},
	{MultipartTableFeatures, 0, longest, 8},
	{MultipartPortDesc, 0, longest, 64},
	{MultipartExperimenter, 8, longest, 1},
}

// form is the row of the table for a request or reply of this kind; nil if v has none.
func (k MultipartType) form(t Type, v Version) *multipartForm {
	table := multipartReplies13
	switch {
	case v == V10 && t == TypeMultipartRequest:
		table = multipartRequests10
	case v == V10:
		table = multipartReplies10
	case t == TypeMultipartRequest:
		table = multipartRequests13
	}
	for i := range table {
		if table[i].kind == k {
			return &table[i]
		}
	}
	return nil
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
