package columnar

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"optcomplete/internal/record"
)

// Column is a column of a file.
type Column struct {
	record.Column
	unit     time.Duration // of a Time
	scale    int           // digits after the point of a Number
	stored   format.Type
	length   int   // bytes of a value of fixed length
	optional bool  // the value itself may be missing, not only what it is in
	most     uint8 // the level at which a value is there
	repeats  uint8 // how many lists it is in
}

// columnsOf lists the leaves of a schema, which has the tree of columns with each
// group before its members.
func columnsOf(schema []format.SchemaElement) ([]Column, error) {
	var columns []Column
	var path []string
	at := 0
	var walk func(most, repeats int) error
	walk = func(most, repeats int) error {
		if at == len(schema) {
			return errors.New("its schema announces more columns than it has")
		}
		e := &schema[at]
		at++
		if len(path) > 0 {
			path[len(path)-1] = e.Name
			switch e.RepetitionType.V {
			case format.Optional:
				most++
			case format.Repeated:
				most, repeats = most+1, repeats+1
			}
		}
		if most > math.MaxUint8 || len(path) > math.MaxUint8 {
			return fmt.Errorf("its columns are nested more than %d deep", math.MaxUint8)
		}
		if e.Type.Valid {
			columns = append(columns, columnOf(e, path, uint8(most), uint8(repeats)))
			return nil
		}
		path = append(path, "")
		defer func() { path = path[:len(path)-1] }()
		for range e.NumChildren.V {
			if err := walk(most, repeats); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(0, 0); err != nil {
		return nil, err
	}
	return columns, nil
}

func columnOf(e *format.SchemaElement, path []string, most, repeats uint8) Column {
	c := Column{
		Column: record.Column{Name: strings.Join(path, ".")}, stored: e.Type.V, length: int(e.TypeLength.V),
		optional: e.RepetitionType.V == format.Optional, most: most, repeats: repeats,
	}
	if repeats == 1 && (len(path) == 1 || len(path) == 3) {
		c.Name, c.List = path[0], true // x, or x.list.element
	} else {
		c.Nested = len(path) > 1
	}
	switch c.stored {
	case format.Boolean:
		c.Kind = Bool
	case format.Int32, format.Int64:
		c.Kind = Int
	case format.Float, format.Double:
		c.Kind = Float
	case format.ByteArray, format.FixedLenByteArray:
		c.Kind = Text
	default:
		c.Kind = Other
	}
	c.describe(e)
	return c
}

// describe finds out what the stored values mean. Old programs said it in another
// place of the file.
func (c *Column) describe(e *format.SchemaElement) {
	whole := c.Kind == Int
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		c.decimal(t.Scale)
	case *format.DateType:
		c.moment(Date, 0, format.Int32)
	case *format.TimestampType:
		unit := time.Nanosecond
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			unit = time.Millisecond
		case *format.MicroSeconds:
			unit = time.Microsecond
		}
		c.moment(Time, unit, format.Int64)
	case *format.IntType:
		if whole && !t.IsSigned {
			c.Kind = Uint
		}
	case *format.Float16Type:
		if c.stored == format.FixedLenByteArray && c.length == 2 {
			c.Kind = Float
		}
	case *format.TimeType, *format.NullType:
		c.Kind = Other
	case nil:
		if !e.ConvertedType.Valid {
			return
		}
		switch e.ConvertedType.V {
		case deprecated.Decimal:
			if e.Scale.Valid && e.Precision.Valid {
				c.decimal(e.Scale.V)
			}
		case deprecated.Date:
			c.moment(Date, 0, format.Int32)
		case deprecated.TimestampMillis:
			c.moment(Time, time.Millisecond, format.Int64)
		case deprecated.TimestampMicros:
			c.moment(Time, time.Microsecond, format.Int64)
		case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
			if whole {
				c.Kind = Uint
			}
		case deprecated.TimeMillis, deprecated.TimeMicros, deprecated.Interval:
			c.Kind = Other
		}
	}
}

func (c *Column) decimal(scale int32) {
	if c.Kind == Int || c.Kind == Text {
		c.Kind, c.scale = Number, int(scale)
	} else {
		c.Kind = Other
	}
}

// moment makes a Date or Time of a column if it is stored as those are.
func (c *Column) moment(kind Kind, unit time.Duration, stored format.Type) {
	if c.stored == stored {
		c.Kind, c.unit = kind, unit
	} else {
		c.Kind = Other
	}
}
