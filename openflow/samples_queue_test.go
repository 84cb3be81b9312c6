package openflow

func queueSamples() []sample {
	all := both("queue_get_config_request", func(Version) Message { return &QueueGetConfigRequest{Port: 5} })
	all = append(all,
		only13("queue_get_config_request-any", &QueueGetConfigRequest{Port: PortAny}),
		sample{"1.0/queue_get_config_reply", V10, &QueueGetConfigReply{Port: 5, Queues: []Queue{
			{ID: 0x55, Properties: []QueueProperty{{Type: QueueMinRate, Rate: 500}}},
			{ID: 0x66, Properties: []QueueProperty{{Type: QueueMinRate, Rate: 1001}}},
		}}},
		sample{"1.0/queue_get_config_reply-none", V10, &QueueGetConfigReply{
			Port: 5, Queues: []Queue{{ID: 0x57, Properties: []QueueProperty{{Type: QueueNone, Data: []byte{}}}}},
		}},
		only13("queue_get_config_reply", &QueueGetConfigReply{Port: 5, Queues: []Queue{
			{ID: 0x55, Port: 5, Properties: []QueueProperty{{Type: QueueMinRate, Rate: 500}, {Type: QueueMaxRate, Rate: 900}}},
			{ID: 0x66, Port: 5},
		}}),
		only13("queue_get_config_reply-experimenter", &QueueGetConfigReply{Port: 6, Queues: []Queue{
			{ID: 0x77, Port: 6, Properties: []QueueProperty{
				{Type: QueueExperimenter, Experimenter: 0x00abcdef, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
			}},
		}}),
	)
	all = append(all, both("multipart_request-queue", func(Version) Message {
		return &MultipartRequest{Body: &QueueRequest{Port: 5, Queue: 0x55}}
	})...)
	all = append(all, both("multipart_request-queue-all", func(Version) Message {
		return &MultipartRequest{Body: &QueueRequest{Port: PortAll, Queue: QueueAll}}
	})...)
	return append(all, both("multipart_reply-queue", func(v Version) Message {
		l := &QueueStatsList{Queues: []QueueStats{
			{Port: 5, Queue: 0x55, TxBytes: 302, TxPackets: 1, TxErrors: 9},
			{Port: 6, Queue: 0x66, TxBytes: 2100, TxPackets: 20, TxErrors: 8},
		}}
		if v == V13 {
			l.Queues[0].DurationSec, l.Queues[0].DurationNsec = 100, 500_000_000
			l.Queues[1].DurationSec, l.Queues[1].DurationNsec = 101, 600_000_000
		}
		return &MultipartReply{Body: l}
	})...)
}
