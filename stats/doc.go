// Package stats keeps the newest counters of all switches: one copy, asked for at a pace, read by
// everybody.
//
// # The problem
//
// A switch counts packets and bytes, by port, by table, by flow entry, and reports them when asked. If
// each reader asked, a page that is open in ten browsers would ask ten times, and a scrape would
// take as long as the slowest switch. A switch answers slowly, or not at all, or with a hundred
// thousand entries; it starts again, and its counters with it; some of its counters have 32 bits.
//
// # Inputs and outputs
//
// In: sessions that come and go (SwitchUp, SwitchDown), their answers, time. Out: questions to
// switches, and on the Board a Switch for each: the newest counters, and rates from the last two
// answers. Reading the Board takes no lock. What tenants' entries have counted is handed over, and not kept.
//
// # Whom to ask, what, and when
//
//   - Port counters, table counters, the totals over all flow entries, and, of switches that can
//     select by cookie (OpenFlow 1.3), the counters of firm entries. Soft entries are in the totals
//     only.
//   - The counters of tenants' entries, of groups and of meters, when somebody wants them (Want,
//     OnTenants): at once, if the pace allows, and once for all who want them meanwhile. They have an
//     agenda and a budget of their own, as large as that of all else, which they do not hold up.
//   - Each kind has a period. A switch is asked less often where its answers take long (it spends
//     at most a twentieth of its time on a kind) or are large (64 KiB a second and kind), and half
//     as often with each time-out in a row.
//   - A switch has at most one question at a time. One that does not answer, or does not take what
//     is queued for it, is not asked.
//   - All questions together stay within a share of a core (Config.Share): beyond it all are asked
//     less often, the one that waits longest first.
//   - A switch's first question comes at a time of its own within the period, so that many that
//     connect at once are not asked at once.
//
// # Invariants
//
//   - What is on the Board never changes: each answer makes a new Switch. It stays when the session
//     ends: its age is known.
//   - A rate is of two answers of one session, of counters that went on. A counter that wrapped
//     went on; of a port of which one counter went back otherwise, or whose age did, none did, and
//     none has a rate.
//   - Memory is bounded: a Switch for each that is connected, and Limits.Gone others.
package stats
