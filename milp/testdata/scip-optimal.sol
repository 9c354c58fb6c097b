solution status: optimal solution found
objective value:                                  0.5
s1                                                  1 	(obj:0)
s2                                                  1 	(obj:0)
eta                                               0.5 	(obj:1)
