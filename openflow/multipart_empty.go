package openflow

// The requests that have no body.
type (
	// DescRequest asks what the switch is called and made by; the answer is a Desc.
	DescRequest struct{ emptyBody }
	// TableRequest asks for the statistics of all tables; the answer is a TableStatsList.
	TableRequest struct{ emptyBody }
	// GroupDescRequest asks for all groups; the answer is a GroupDescList. OpenFlow 1.3.
	GroupDescRequest struct{ emptyBody }
	// GroupFeaturesRequest asks which groups there can be; the answer is a GroupFeatures. OpenFlow
	// 1.3.
	GroupFeaturesRequest struct{ emptyBody }
	// MeterFeaturesRequest asks which meters there can be; the answer is a MeterFeatures. OpenFlow
	// 1.3.
	MeterFeaturesRequest struct{ emptyBody }
	// PortDescRequest asks for all ports; the answer is a PortDescList. OpenFlow 1.3.
	PortDescRequest struct{ emptyBody }
)

// emptyBody is the body of a request without one.
type emptyBody struct{}

func (emptyBody) parse(Version, []byte) error                { return nil }
func (emptyBody) append(b []byte, _ Version) ([]byte, error) { return b, nil }
func (emptyBody) appendText(b []byte, _ Version) []byte      { return b }
func (emptyBody) isRequest()                                 {}

// Kind is MultipartDesc.
func (*DescRequest) Kind() MultipartType { return MultipartDesc }

// Kind is MultipartTable.
func (*TableRequest) Kind() MultipartType { return MultipartTable }

// Kind is MultipartGroupDesc.
func (*GroupDescRequest) Kind() MultipartType { return MultipartGroupDesc }

// Kind is MultipartGroupFeatures.
func (*GroupFeaturesRequest) Kind() MultipartType { return MultipartGroupFeatures }

// Kind is MultipartMeterFeatures.
func (*MeterFeaturesRequest) Kind() MultipartType { return MultipartMeterFeatures }

// Kind is MultipartPortDesc.
func (*PortDescRequest) Kind() MultipartType { return MultipartPortDesc }
