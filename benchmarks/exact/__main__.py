"""All measurements of exact representations, one after the other, with the picture and the page of their results."""

from benchmarks import page
from benchmarks.exact import columns, constructions, fitting, picture, small

columns.main([])
constructions.main([])
small.main()
fitting.main([])
picture.main()
page.run()
