package store

import "context"

// Each calls a function with each pair of a span, as the store was at one moment, in the order of their keys, and returns the
// revision of that moment. The query's Limit is how many pairs are asked for at a time; its Revision is the moment, 0 for
// now. The pair is the function's.
func Each(ctx context.Context, st Store, q Query, each func(*Pair)) (Revision, error) {
	for {
		page, err := st.Range(ctx, q)
		if err != nil {
			return 0, err
		}
		for i := range page.Pairs {
			each(&page.Pairs[i])
		}
		if q.Revision == 0 { // later pages say what the store has come to
			q.Revision = page.Revision
		}
		if !page.More {
			return q.Revision, nil
		}
		q.Span.From = After(page.Pairs[len(page.Pairs)-1].Key)
	}
}
