// Package template makes Secrets, and objects of other kinds, of values and
// templates, as External Secrets' template engine v2 does.
//
// Templates are executed by text/template with the functions of sprig, without
// those that see the machine, and with functions for keys and certificates.
// Nothing here bounds what they take: who runs templates of strangers runs them
// in a process of their own.
package template
