package engine

import "reflect"

// bindCast binds functions that take anything for a number or a time. What is none
// they print into an error, also where nobody sees it: a value that contains itself
// would be printed without end.
func (s *state) bindCast(f any) any {
	switch f := f.(type) {
	case func(any) int:
		return castOne(s, f)
	case func(any) int64:
		return castOne(s, f)
	case func(any) float64:
		return castOne(s, f)
	case func(any, any) int64:
		return castTwo(s, f)
	case func(any, any) float64:
		return castTwo(s, f)
	case func(any, any) bool:
		return castTwo(s, f)
	case func(...any) int64:
		return castAll(s, f)
	case func(...any) float64:
		return castAll(s, f)
	}
	return s.bindFirst(f)
}

func castOne[R any](s *state, f func(any) R) any {
	return func(v any) (out R, err error) {
		if err = s.admit(v); err != nil {
			return out, err
		}
		return f(v), nil
	}
}

func castTwo[R any](s *state, f func(any, any) R) any {
	return func(a, b any) (out R, err error) {
		if err = s.admit(a, b); err != nil {
			return out, err
		}
		return f(a, b), nil
	}
}

func castAll[R any](s *state, f func(...any) R) any {
	return func(v ...any) (out R, err error) {
		if err = s.admit(v...); err != nil {
			return out, err
		}
		return f(v...), nil
	}
}

// bindFirst binds those that take something else, too.
func (s *state) bindFirst(f any) any {
	switch f := f.(type) {
	case func(any, ...any) int64:
		return castRest(s, f)
	case func(any, ...any) float64:
		return castRest(s, f)
	case func(any, int, ...float64) float64:
		return func(v any, places int, on ...float64) (float64, error) {
			if err := s.admit(v); err != nil {
				return 0, err
			}
			return f(v, places, on...), nil
		}
	case func(string, any) string: // of a time by a layout
		return func(layout string, v any) (string, error) {
			if err := s.dated(layout, v); err != nil {
				return "", err
			}
			return s.made(f(layout, v), nil)
		}
	case func(string, any, string) string:
		return func(layout string, v any, zone string) (string, error) {
			if err := s.dated(layout, v); err != nil {
				return "", err
			}
			return s.made(f(layout, v, zone), nil)
		}
	case func(any, string) string:
		return func(v any, zone string) (string, error) {
			if err := s.admit(v); err != nil {
				return "", err
			}
			return s.made(f(v, zone), nil)
		}
	}
	return f
}

func castRest[R any](s *state, f func(any, ...any) R) any {
	return func(a any, v ...any) (out R, err error) {
		if err = s.admit(a); err == nil {
			err = s.admit(v...)
		}
		if err != nil {
			return out, err
		}
		return f(a, v...), nil
	}
}

// perLayout is the most bytes that one byte of a layout becomes: a month's number
// becomes its name.
const perLayout = 10

// dated counts what a layout becomes.
func (s *state) dated(layout string, v any) error {
	if err := s.admit(v); err != nil {
		return err
	}
	return s.fits(perLayout * int64(len(layout)))
}

// slice takes places of a list or text, of any type.
func (s *state) slice(list any, places ...any) (any, error) {
	if err := s.admit(places...); err != nil {
		return nil, err
	}
	cut, _ := library()["slice"].(func(any, ...any) any)
	return clipped(cut(list, places...)), nil
}

func (s *state) mustSlice(list any, places ...any) (any, error) {
	if err := s.admit(places...); err != nil {
		return nil, err
	}
	cut, _ := library()["mustSlice"].(func(any, ...any) (any, error))
	out, err := cut(list, places...)
	return clipped(out), err
}

// clipped takes the room away that is behind a part of a list: a method that appends, as
// now.AppendFormat, would write over the rest, which other renders may share.
func clipped(part any) any {
	if v := reflect.ValueOf(part); v.Kind() == reflect.Slice {
		return v.Slice3(0, v.Len(), v.Len()).Interface()
	}
	return part
}
