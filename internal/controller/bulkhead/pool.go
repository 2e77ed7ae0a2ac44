package bulkhead

// key is what places are counted by, and how many times the free places it
// may hold. One that is alone gets share/(share+1) of them; the more there
// are that hold many, the less each gets.
type key struct {
	name  string
	share int
}

// The shares: half of the places, and three quarters.
const (
	half     = 1
	quarters = 3
)

// pool counts who holds places.
type pool struct {
	size, used int
	held       map[string]int
}

func newPool(size int) pool { return pool{size: size, held: map[string]int{}} }

// room is how many places more who is counted by all of the keys may hold.
func (p *pool) room(keys []key) int {
	free := p.size - p.used
	out := free
	for _, k := range keys {
		held := p.held[k.name]
		if held == 0 {
			out = min(out, 1) // some are always left for one that holds none
			continue
		}
		out = min(out, max(min(k.share*free, p.size-1)-held, 0))
	}
	return out
}

func (p *pool) take(keys []key) {
	p.used++
	for _, k := range keys {
		p.held[k.name]++
	}
}

func (p *pool) give(keys []key) {
	p.used--
	for _, k := range keys {
		if p.held[k.name]--; p.held[k.name] == 0 {
			delete(p.held, k.name)
		}
	}
}
