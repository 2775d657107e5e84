"""All measurements of exact representations, one after the other, with the picture and the page of their results."""

from benchmarks import page
from benchmarks.exact import columns, constructions, fitting, one_space, picture, small

columns.main([])
constructions.main([])
small.main()
one_space.main()
fitting.main([])
picture.main()
page.run()
