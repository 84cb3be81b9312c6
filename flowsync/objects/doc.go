// Package objects keeps the groups and meters of one switch as the rules of that switch need them.
//
// # The problem
//
// A rule says what its groups and meters do, not which numbers they have; the switch knows numbers only, which have no
// cookie. A rule is refused before its group is there, and the switch removes the rules of a group together with it. So
// each group and meter has to come before the first rule that uses it, to go after the last, and to be found again after
// a restart; and many rules share one.
//
// # Inputs and outputs
//
// In: which objects (package object) each user wants, and which its entry may still use; what the switch lists, answers
// and refuses. A user is a number, which the caller gives to a rule. Out: messages (Next), each of which ends with Done;
// users whose rules may be sent now, and those whose objects are refused (Ready, Woken); what differed (Audit); what is
// known of each, for people (Show).
//
// An object of an owner (object.Owner) is nobody else's, however many do the same. Owned returns those that the switch has.
//
// A meter of the switch plan has a fixed number, and no users: it is wanted by its owner (Fix), whatever rules use it.
//
// # What can happen to an object
//
// A row is what is known of one object: who wants it, what the switch has under its number, and whether a message is in
// flight. What is to be sent follows from that alone (Table.due):
//
//	wanted by    the switch has   then
//	some         nothing          ADD, when all groups that it uses are confirmed
//	some         something        MODIFY, likewise
//	some         it               users may be sent
//	none         it, something    DELETE, when no entry and no group uses it any more; if it was listed and never
//	                              wanted, not before it may be pruned
//	none         nothing          the row ends
//
//	event                         the switch has     and
//	ADD, MODIFY confirmed         it                 users that wait are woken
//	ADD refused: it exists        something
//	MODIFY refused: it is unknown nothing
//	ADD, MODIFY refused: no room  as before          waits, while another one is about to be deleted
//	ADD, MODIFY refused           as before          users are woken, and refused; if the switch has had it, tried again
//	DELETE confirmed              nothing
//	DELETE refused                as before          tried again
//	a rule refused for its sake   nothing            (Doubt)
//	session ended, fate unknown   nothing            (Forget); a listing tells before anything else is sent
//	listed with its content       it
//	listed with other content     something          of an audit: drift
//	not listed                    nothing            of an audit: drift
//
// A message in flight holds up any other for the row. A row that changed since an audit was requested is not compared: the
// listing may be older.
//
// # Invariants
//
//   - Two rows of one kind have different numbers, and two without fixed numbers different contents.
//   - No rule is sent before Ready says so of its user: all its objects are confirmed.
//   - No object is deleted while an entry, or a group on the switch, may use it.
//   - Nothing is written to a number that is neither the domain's nor fixed.
//
// The package is pure.
package objects
