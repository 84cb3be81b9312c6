package report

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// drawing is an SVG picture. Its text is drawn in units of a width of 420, so that it can be read
// when that is as wide as a phone.
type drawing struct {
	b             strings.Builder
	width, height float64
	label         string // what is seen, for those who do not see it
}

// drawingWidth is that of all pictures.
const drawingWidth = 420

func newDrawing(height float64, label string) *drawing {
	return &drawing{width: drawingWidth, height: height, label: label}
}

// text writes at a baseline; anchor is start, middle or end.
func (d *drawing) text(x, y float64, anchor, class, s string) {
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, num(x), num(y), anchor, class,
		html.EscapeString(s))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&d.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, num(x1), num(y1), num(x2), num(y2), class)
}

func (d *drawing) rect(x, y, w, h float64, class string) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" rx="2" class="%s"/>`, num(x), num(y),
		num(max(w, 1)), num(h), class)
}

// dot is one run; its title is shown when it is pointed at.
func (d *drawing) dot(x, y, r float64, class, title string) {
	fmt.Fprintf(&d.b, `<circle cx="%s" cy="%s" r="%s" class="%s"><title>%s</title></circle>`, num(x), num(y),
		num(r), class, html.EscapeString(title))
}

// path is a line through points.
func (d *drawing) path(points [][2]float64, class, title string) {
	d.b.WriteString(`<path class="` + class + `" d="`)
	for i, p := range points {
		d.b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + num(p[0]) + " " + num(p[1]))
	}
	d.b.WriteString(`"><title>` + html.EscapeString(title) + `</title></path>`)
}

// String is the picture as an element of HTML.
func (d *drawing) String() string {
	return fmt.Sprintf(`<svg viewBox="0 0 %s %s" role="img" aria-label="%s">%s</svg>`, num(d.width), num(d.height),
		html.EscapeString(d.label), d.b.String())
}

// num prints a coordinate.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}

// scale maps figures to coordinates, evenly or by their logarithms.
type scale struct {
	from, to    float64 // figures
	start, stop float64 // coordinates
	log         bool
}

func (s scale) at(v float64) float64 {
	from, to := s.from, s.to
	if s.log {
		v, from, to = math.Log10(max(v, s.from)), math.Log10(s.from), math.Log10(s.to)
	}
	if to <= from {
		return s.start
	}
	return s.start + (v-from)/(to-from)*(s.stop-s.start)
}

// ticks are round figures on the scale: every power of ten, or up to five even steps.
func (s scale) ticks() (out []float64) {
	if s.log {
		for e := math.Ceil(math.Log10(s.from) - 1e-9); e <= math.Log10(s.to)+1e-9; e++ {
			out = append(out, math.Pow(10, e))
		}
		return out
	}
	step := roundUp((s.to - s.from) / 5)
	for i := math.Ceil(s.from / step); step > 0 && i*step <= s.to+step*1e-9 && len(out) < 10; i++ {
		out = append(out, i*step)
	}
	return out
}

// roundUp is the next of 1, 2, 5, 10, 20, 50, ...
func roundUp(v float64) float64 {
	if v <= 0 {
		return 0
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5, 10} {
		if v <= m*p*(1+1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// short prints a figure for an axis: 20k, 1.5M.
func short(v float64) string {
	if v == 0 {
		return "0" // of -0 too
	}
	for _, u := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.of {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", v/u.of), ".0") + u.name
		}
	}
	return fmt.Sprintf("%.4g", v)
}
