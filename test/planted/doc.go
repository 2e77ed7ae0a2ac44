// Package planted tells where secrets show up that a test has planted. Each input of the product gets a secret of its own,
// each output is searched for all of them, in every form in which programs write what they were given; and a secret of
// which nobody can tell that the product had it counts as not planted.
package planted
