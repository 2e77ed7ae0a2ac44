package view

// Turns are what Seat.Turn goes up to: who remembers a turn has 30 bits for it.
const Turns = 1 << 30

// seats gives rows their numbers.
type seats struct {
	count uint32 // of numbers that were ever given
	free  []Seat // with the turn that comes next
}

// of is the seat of a row that takes the place of another one, nil for none.
// Rights are told by names and projects: another project is another seat.
func (s *seats) of(r, before *Row) Seat {
	if before != nil && before.Project == r.Project {
		return before.Seat
	}
	if before != nil {
		s.leave(before.Seat)
	}
	return s.take()
}

func (s *seats) take() Seat {
	if last := len(s.free) - 1; last >= 0 {
		out := s.free[last]
		s.free = s.free[:last]
		return out
	}
	s.count++
	return Seat{Number: s.count - 1}
}

// leave gives a number back. One that has had all its turns is not given again.
func (s *seats) leave(seat Seat) {
	if seat.Turn++; seat.Turn < Turns {
		s.free = append(s.free, seat)
	}
}
