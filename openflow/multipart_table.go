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

var multipartNames = []string{
	"desc", "flow", "aggregate", "table", "port_stats", "queue", "group", "group_desc", "group_features", "meter",
	"meter_config", "meter_features", "table_features", "port_desc",
}

// String is the name of the kind in OpenFlow 1.3, in lower case: "port_desc".
func (k MultipartType) String() string {
	switch {
	case int(k) < len(multipartNames):
		return multipartNames[k]
	case k == MultipartExperimenter:
		return "experimenter"
	}
	return strconv.Itoa(int(k))
}

// newRequestBody is an empty body of a kind that a table of requests has.
func newRequestBody(k MultipartType) RequestBody {
	switch k {
	case MultipartDesc:
		return new(DescRequest)
	case MultipartFlow:
		return new(FlowRequest)
	case MultipartAggregate:
		return new(AggregateRequest)
	case MultipartTable:
		return new(TableRequest)
	case MultipartPortStats:
		return new(PortStatsRequest)
	case MultipartQueue:
		return new(QueueRequest)
	case MultipartGroup:
		return new(GroupRequest)
	case MultipartGroupDesc:
		return new(GroupDescRequest)
	case MultipartGroupFeatures:
		return new(GroupFeaturesRequest)
	case MultipartMeter:
		return new(MeterRequest)
	case MultipartMeterConfig:
		return new(MeterConfigRequest)
	case MultipartMeterFeatures:
		return new(MeterFeaturesRequest)
	case MultipartTableFeatures:
		return new(TableFeaturesList)
	case MultipartPortDesc:
		return new(PortDescRequest)
	}
	return new(MultipartExperimenterBody)
}

// newReplyBody is an empty body of a kind that a table of replies has.
func newReplyBody(k MultipartType) ReplyBody {
	switch k {
	case MultipartDesc:
		return new(Desc)
	case MultipartFlow:
		return new(FlowStatsList)
	case MultipartAggregate:
		return new(AggregateStats)
	case MultipartTable:
		return new(TableStatsList)
	case MultipartPortStats:
		return new(PortStatsList)
	case MultipartQueue:
		return new(QueueStatsList)
	case MultipartGroup:
		return new(GroupStatsList)
	case MultipartGroupDesc:
		return new(GroupDescList)
	case MultipartGroupFeatures:
		return new(GroupFeatures)
	case MultipartMeter:
		return new(MeterStatsList)
	case MultipartMeterConfig:
		return new(MeterConfigList)
	case MultipartMeterFeatures:
		return new(MeterFeatures)
	case MultipartTableFeatures:
		return new(TableFeaturesList)
	case MultipartPortDesc:
		return new(PortDescList)
	}
	return new(MultipartExperimenterBody)
}
